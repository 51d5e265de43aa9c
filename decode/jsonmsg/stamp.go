package jsonmsg

import (
	"strings"

	"tapedeck/decode"
)

// markStamp makes an object whose schema is exactly {sec, nsec} or
// {sec, nanosec} a point in time, or a duration if it is called so.
func (s *shape) markStamp() {
	if s.declared != objectForm || s.json != notJSON || len(s.members) != 2 {
		return
	}
	for _, nanos := range []string{"nsec", "nanosec"} {
		sec, hasSec := s.index["sec"]
		nsec, hasNanos := s.index[nanos]
		if !hasSec || !hasNanos || s.members[sec].declared != intForm || s.members[nsec].declared != intForm {
			continue
		}
		s.stamp, s.nanos = decode.Timestamp, nanos
		if namesDuration(s.title) || namesDuration(s.key) {
			s.stamp = decode.Duration
		}
	}
}

func namesDuration(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), "duration")
}

// scanStamp reads an object of two integers, sec and the key in nanos, in
// whatever order, and returns the nanoseconds that they make. All else gives
// decode.ErrWiden.
func scanStamp(buf []byte, i int, kind decode.Kind, nanos string) (ns int64, end int, err error) {
	if buf[i] != '{' {
		return 0, i, decode.ErrWiden
	}
	var sec, nsec int64
	var hasSec, hasNsec bool
	i = skipSpace(buf, i+1)
	for more := true; more; {
		value, err := scanKey(buf, i)
		if err != nil {
			return 0, i, decode.ErrWiden
		}
		n, end, err := scanNumber(buf, value)
		if err != nil {
			return 0, i, decode.ErrWiden
		}
		x, ok := n.declaredInt64()
		if !ok {
			return 0, i, decode.ErrWiden
		}
		switch {
		case isKey(buf[i:], "sec"):
			sec, hasSec = x, true
		case isKey(buf[i:], nanos):
			nsec, hasNsec = x, true
		default:
			return 0, i, decode.ErrWiden
		}
		if i, more, err = scanNext(buf, end, '}'); err != nil {
			return 0, i, err
		}
	}
	ns, fits := decode.Nanoseconds(kind, sec, nsec)
	if !hasSec || !hasNsec || !fits {
		return 0, i, decode.ErrWiden
	}
	return ns, i, nil
}

func isKey(s []byte, key string) bool {
	return len(s) > len(key)+1 && string(s[1:len(key)+1]) == key && s[len(key)+1] == '"'
}

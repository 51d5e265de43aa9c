package protobuf

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
	"tapedeck/decode/internal/jsontext"
)

// wellKnown writes the values found[from:to] of a message in the form that
// proto3 gives to its type.
func (w *jsonWriter) wellKnown(md protoreflect.MessageDescriptor, from, to, depth int) error {
	switch wellKnown(md) {
	case timestamp, duration:
		return w.instant(md, from, to, depth)
	case anyMessage:
		return w.any(md, from, to, depth)
	case fieldMask:
		w.fieldMask(from, to)
	case wrapper:
		if from == to {
			return w.absent(md.Fields().Get(0), depth)
		}
		return w.field(md.Fields().Get(0), from, to, depth)
	case structValue:
		return w.sole(md, from, to, depth, "{}")
	case listValue:
		return w.sole(md, from, to, depth, "[]")
	case anyValue:
		return w.sole(md, from, to, depth, "null")
	default:
		return w.object(md, from, to, depth)
	}
	return nil
}

// sole writes the one field that a message has in place of the message.
func (w *jsonWriter) sole(md protoreflect.MessageDescriptor, from, to, depth int, empty string) error {
	if from == to {
		w.out = append(w.out, empty...)
		return nil
	}
	return w.field(md.Fields().Get(w.found[from].field), from, to, depth)
}

// last returns the last value of a field.
func (w *jsonWriter) last(fd protoreflect.FieldDescriptor, from, to int) occurrence {
	for i := to - 1; i >= from; i-- {
		if w.found[i].field == fd.Index() {
			return w.found[i]
		}
	}
	return occurrence{}
}

// instant writes a time as RFC 3339 has it, a duration in seconds. One that
// these can't tell is written as its fields.
func (w *jsonWriter) instant(md protoreflect.MessageDescriptor, from, to, depth int) error {
	secField, nsecField := secondsAndNanos(md)
	sec := scalars[secField.Kind()].integer(w.last(secField, from, to).bits)
	nsec := scalars[nsecField.Kind()].integer(w.last(nsecField, from, to).bits)
	const (
		firstYear  = -62_135_596_800 // 0001-01-01
		endOfYears = 253_402_300_800 // 10000-01-01
		longest    = 315_576_000_000 // of a duration, says its definition
	)
	switch what := wellKnown(md); {
	case nsec <= -1e9 || nsec >= 1e9:
	case what == timestamp && nsec >= 0 && sec >= firstYear && sec < endOfYears:
		w.out = time.Unix(sec, 0).UTC().AppendFormat(append(w.out, '"'), "2006-01-02T15:04:05")
		w.out = append(appendFraction(w.out, nsec), 'Z', '"')
		return nil
	case what == duration && -longest <= sec && sec <= longest && (sec == 0 || nsec == 0 || (sec > 0) == (nsec > 0)):
		w.out = append(appendSeconds(append(w.out, '"'), sec, nsec), 's', '"')
		return nil
	}
	return w.object(md, from, to, depth)
}

// appendSeconds appends sec + nsec/1e9, which have one sign, as a decimal number.
func appendSeconds(dst []byte, sec, nsec int64) []byte {
	if sec < 0 || nsec < 0 {
		dst, sec, nsec = append(dst, '-'), -sec, -nsec
	}
	return appendFraction(strconv.AppendInt(dst, sec, 10), nsec)
}

// appendFraction appends nanoseconds as 0, 3, 6 or 9 decimals, as proto3 has it.
func appendFraction(dst []byte, nsec int64) []byte {
	if nsec == 0 {
		return dst
	}
	digits := strconv.AppendInt(nil, 1e9+nsec, 10)
	digits[0] = '.'
	for range 2 {
		if short := bytes.TrimSuffix(digits, []byte("000")); len(short) < len(digits) {
			digits = short
		}
	}
	return append(dst, digits...)
}

func (w *jsonWriter) fieldMask(from, to int) {
	var paths []byte
	for i := from; i < to; i++ {
		if i > from {
			paths = append(paths, ',')
		}
		paths = append(paths, w.found[i].bytes...)
	}
	w.out = jsontext.AppendQuoted(w.out, paths)
}

// any writes an Any: what it holds is decoded when the schema has its type
// and it is a message of that type.
func (w *jsonWriter) any(md protoreflect.MessageDescriptor, from, to, depth int) error {
	url := w.last(md.Fields().ByNumber(1), from, to).bytes
	held := w.last(md.Fields().ByNumber(2), from, to).bytes
	w.out = append(jsontext.AppendQuoted(append(w.out, `{"@type":`...), url), `,"value":`...)
	begin, found := len(w.out), len(w.found)
	if of, ok := w.files.find(string(url)); ok {
		err := w.message(of, held, depth+1)
		if err == nil || errors.Is(err, decode.ErrExpands) {
			w.out = append(w.out, '}')
			return err
		}
	}
	w.out, w.found = appendBase64(w.out[:begin], held), w.found[:found]
	w.out = append(w.out, '}')
	return nil
}

// find returns the message type that a type URL names.
func (fs *files) find(url string) (protoreflect.MessageDescriptor, bool) {
	name := url[strings.LastIndexByte(url, '/')+1:]
	d, err := fs.built.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, false
	}
	md, ok := d.(protoreflect.MessageDescriptor)
	return md, ok
}

package jsonmsg

import "tapedeck/decode"

const (
	// maxScratch is how much memory for strings is kept from message to message.
	maxScratch = 1 << 20
	// A message may have spareNulls nulls, and sparePerByte more for each byte.
	// In a list of structs of many fields a few bytes ask for as many nulls.
	spareNulls   = 1 << 20
	sparePerByte = 16
)

// Decode implements [decode.Plan].
func (r *reader) Decode(msg []byte, b *decode.Batch) error {
	if b != r.bound {
		r.bind(b)
	}
	err := r.message(msg)
	if cap(r.scratch)+cap(r.blob) > maxScratch {
		r.scratch, r.blob = nil, nil
	}
	if err == nil {
		b.CloseRow()
		return nil
	}
	if err == decode.ErrWiden {
		// The message may be broken further on, and then observing it is no help.
		if broken := validate(msg); broken != nil {
			return broken
		}
	}
	return err
}

func (r *reader) message(msg []byte) error {
	if err := checkUTF8(msg); err != nil {
		return err
	}
	r.spare = spareNulls + sparePerByte*len(msg)
	i := begin(msg)
	var end int
	var err error
	if i < len(msg) && msg[i] == '{' && !r.whole {
		end, err = r.object(&r.root, msg, i)
		if err == nil && r.value != nil {
			r.value.null()
		}
	} else {
		end, err = r.other(msg, i)
	}
	if err != nil {
		return err
	}
	return checkEnd(msg, end)
}

// other reads a message that is no object.
func (r *reader) other(msg []byte, i int) (int, error) {
	if !r.whole {
		r.root.null()
	}
	if r.value != nil {
		return r.read(r.value, msg, i)
	}
	if i < len(msg) && msg[i] == 'n' && r.objects {
		return scanLiteral(msg, i)
	}
	return i, decode.ErrWiden
}

// read appends the value at i to the slot and returns its end. A value that the
// slot can't hold, be it JSON or not, gives decode.ErrWiden.
func (r *reader) read(sl *slot, buf []byte, i int) (end int, err error) {
	if i >= len(buf) {
		return i, unexpected(buf, i, "a value")
	}
	c := buf[i]
	if c == 'n' {
		if end, err = scanLiteral(buf, i); err != nil {
			return end, err
		}
		return end, r.null(sl)
	}
	switch sl.op {
	case readFloat:
		return sl.readFloat(buf, i)
	case readInt, readHuge:
		return sl.readInteger(buf, i)
	case readText, readBlob:
		if c == '"' {
			return r.readString(sl, buf, i)
		}
	case readBool:
		if c == 't' || c == 'f' {
			sl.vector.AppendBool(c == 't')
			return scanLiteral(buf, i)
		}
	case readList:
		if c == '[' {
			return r.list(sl, buf, i)
		}
	case readStruct:
		if c == '{' {
			if end, err = r.object(sl, buf, i); err == nil {
				sl.vector.CloseStruct()
			}
			return end, err
		}
	case readColumns:
		if c == '{' {
			return r.object(sl, buf, i)
		}
	case readStamp:
		ns, end, err := scanStamp(buf, i, sl.stamp, sl.nanos)
		if err == nil {
			sl.vector.Append64(uint64(ns))
		}
		return end, err
	case readJSON:
		return r.readJSON(sl, buf, i)
	case readEmpty:
		return sl.readEmpty(buf, i)
	}
	return i, decode.ErrWiden
}

func (sl *slot) readFloat(buf []byte, i int) (int, error) {
	n, end, err := scanNumber(buf, i)
	if err != nil {
		return i, decode.ErrWiden
	}
	x, ok := n.float64(buf[i:end])
	if !ok {
		return i, decode.ErrWiden
	}
	sl.vector.AppendFloat64(x)
	return end, nil
}

func (sl *slot) readInteger(buf []byte, i int) (int, error) {
	n, end, err := scanNumber(buf, i)
	if err != nil {
		return i, decode.ErrWiden
	}
	x, ok := n.int64()
	if !ok && sl.declared && !n.integer {
		x, ok = n.integral()
	}
	if ok {
		sl.vector.AppendInt(x)
		return end, nil
	}
	if sl.op == readHuge && n.integer {
		if lo, hi, ok := n.hugeInt(buf[i:end]); ok {
			sl.vector.Append128(lo, hi)
			return end, nil
		}
	}
	return i, decode.ErrWiden
}

func (r *reader) readString(sl *slot, buf []byte, i int) (int, error) {
	end, escaped, err := scanString(buf, i)
	if err != nil {
		return end, err
	}
	content := buf[i+1 : end-1]
	if escaped {
		r.scratch = unescape(r.scratch[:0], content)
		content = r.scratch
	}
	if sl.op == readBlob {
		if r.blob, err = strictBase64.AppendDecode(r.blob[:0], content); err != nil {
			return i, decode.ErrWiden
		}
		content = r.blob
	}
	sl.vector.AppendBytes(content)
	return end, nil
}

func (r *reader) readJSON(sl *slot, buf []byte, i int) (int, error) {
	end, err := skip(buf, i, sl.level)
	if err != nil {
		return end, err
	}
	raw := buf[i:end]
	if hasEscape(raw) {
		r.scratch = mendSurrogates(r.scratch[:0], raw)
		raw = r.scratch
	}
	sl.vector.AppendBytes(raw)
	return end, nil
}

// readEmpty keeps an object without keys as JSON text.
func (sl *slot) readEmpty(buf []byte, i int) (int, error) {
	if buf[i] == '{' {
		if end := skipSpace(buf, i+1); end < len(buf) && buf[end] == '}' {
			sl.vector.AppendString("{}")
			return end + 1, nil
		}
	}
	return i, decode.ErrWiden
}

func (r *reader) list(sl *slot, buf []byte, i int) (int, error) {
	i = skipSpace(buf, i+1)
	if i < len(buf) && buf[i] == ']' {
		sl.vector.CloseList()
		return i + 1, nil
	}
	for more := true; more; {
		end, err := r.read(sl.elem, buf, i)
		if err != nil {
			return end, err
		}
		if i, more, err = scanNext(buf, end, ']'); err != nil {
			return i, err
		}
	}
	sl.vector.CloseList()
	return i, nil
}

// object reads an object key by key. Keys that it lacks are null; of a key that
// comes twice the last value stays.
func (r *reader) object(sl *slot, buf []byte, i int) (int, error) {
	sl.turn++
	i = skipSpace(buf, i+1)
	if i < len(buf) && buf[i] == '}' {
		return i + 1, r.fill(sl)
	}
	found, guess := 0, &sl.first
	for more := true; more; {
		e, at, err := r.key(sl, buf, i, guess)
		if err != nil {
			return at, err
		}
		if e.seen == sl.turn {
			e.undo()
		} else {
			e.seen = sl.turn
			found++
		}
		if at, err = r.read(&e.slot, buf, at); err != nil {
			return at, err
		}
		if i, more, err = scanNext(buf, at, '}'); err != nil {
			return i, err
		}
		guess = &e.next
	}
	if found < len(sl.entries) {
		return i, r.fill(sl)
	}
	return i, nil
}

// fill appends nulls for the keys that an object lacks.
func (r *reader) fill(sl *slot) error {
	for i := range sl.entries {
		if e := &sl.entries[i]; e.seen != sl.turn {
			if err := r.null(&e.slot); err != nil {
				return err
			}
		}
	}
	return nil
}

// null appends a null as long as the message may have more.
func (r *reader) null(sl *slot) error {
	if r.spare -= sl.width; r.spare < 0 {
		return errSparse
	}
	sl.null()
	return nil
}

// key reads a key and its colon and returns its entry and where its value
// begins. It tries the entry at guess first, and sets guess to the right one.
func (r *reader) key(sl *slot, buf []byte, i int, guess *int) (*entry, int, error) {
	if *guess < len(sl.entries) {
		e := &sl.entries[*guess]
		if n := len(e.quoted); n > 0 && len(buf)-i > n && string(buf[i:i+n]) == e.quoted {
			i, err := scanColon(buf, i+n)
			return e, i, err
		}
	}
	if i >= len(buf) || buf[i] != '"' {
		return nil, i, unexpected(buf, i, "a key in quotes")
	}
	end, escaped, err := scanString(buf, i)
	if err != nil {
		return nil, end, err
	}
	key := buf[i+1 : end-1]
	if escaped {
		r.scratch = unescape(r.scratch[:0], key)
		key = r.scratch
	}
	at, ok := sl.index[string(key)]
	if !ok {
		return nil, i, decode.ErrWiden
	}
	*guess = at
	i, err = scanColon(buf, end)
	return &sl.entries[at], i, err
}

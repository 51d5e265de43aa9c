package protobuf

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
	"tapedeck/decode/internal/jsontext"
)

// jsonWriter writes encoded messages as JSON text. Its slices are kept from
// one message to the next.
type jsonWriter struct {
	files *files
	out   []byte
	limit int          // bytes of out
	found []occurrence // of all messages that are being written, outer ones first
	most  int          // found at any time

	oneofs []heldMember // of the message that was scanned last
	scans  int
}

// heldMember is what a oneof holds.
type heldMember struct {
	scan     int // that this is about
	field    int
	replaced bool // values before this one don't count
}

// occurrence is one value of a field in an encoded message.
type occurrence struct {
	field int // index in the message type
	place int // in the order of the message
	wire  protowire.Type
	bits  uint64
	bytes []byte
}

// write returns an encoded message as JSON text, good until the next call.
func (w *jsonWriter) write(fs *files, md protoreflect.MessageDescriptor, b []byte, limit int) ([]byte, error) {
	w.files, w.out, w.limit, w.most = fs, w.out[:0], limit, 0
	err := w.message(md, b, 0)
	clear(w.found[:w.most]) // it points into the message
	w.found = w.found[:0]
	return w.out, err
}

func (w *jsonWriter) message(md protoreflect.MessageDescriptor, b []byte, depth int) error {
	switch {
	case depth >= jsontext.MaxDepth:
		return errDepth
	case len(w.out) > w.limit:
		return decode.ErrExpands
	}
	from := len(w.found)
	if err := w.scan(md, b); err != nil {
		return err
	}
	to := len(w.found)
	err := w.wellKnown(md, from, to, depth)
	w.found = w.found[:from]
	return err
}

// scan finds the values of a message's fields, sorted by field.
func (w *jsonWriter) scan(md protoreflect.MessageDescriptor, b []byte) error {
	from := len(w.found)
	var v value
	for len(b) > 0 {
		var err error
		if b, err = v.take(b); err != nil {
			return err
		}
		if fd := md.Fields().ByNumber(v.number); fd != nil && acceptedWires(fd)&(1<<v.wire) != 0 {
			w.found = append(w.found, occurrence{fd.Index(), len(w.found), v.wire, v.bits, v.payload})
		}
	}
	w.dropReplaced(md, from)
	slices.SortFunc(w.found[from:], func(a, b occurrence) int {
		return cmp.Or(a.field-b.field, a.place-b.place)
	})
	return nil
}

// dropReplaced drops the values of oneof members that another member of the
// same oneof came after.
func (w *jsonWriter) dropReplaced(md protoreflect.MessageDescriptor, from int) {
	w.most = max(w.most, len(w.found))
	if n := md.Oneofs().Len(); n > len(w.oneofs) {
		w.oneofs = slices.Grow(w.oneofs, n)[:n]
	}
	w.scans++
	kept := len(w.found)
	for i := len(w.found) - 1; i >= from; i-- {
		o := w.found[i]
		if oneof := md.Fields().Get(o.field).ContainingOneof(); oneof != nil {
			held := &w.oneofs[oneof.Index()]
			if held.scan != w.scans {
				*held = heldMember{scan: w.scans, field: o.field}
			}
			if held.replaced = held.replaced || held.field != o.field; held.replaced {
				continue
			}
		}
		kept--
		w.found[kept] = o
	}
	w.found = append(w.found[:from], w.found[kept:]...)
}

// object writes the values found[from:to] of a message as an object.
func (w *jsonWriter) object(md protoreflect.MessageDescriptor, from, to, depth int) error {
	w.out = append(w.out, '{')
	for i := from; i < to; {
		next := w.endOfField(i, to)
		if i > from {
			w.out = append(w.out, ',')
		}
		fd := md.Fields().Get(w.found[i].field)
		w.out = append(jsontext.AppendQuoted(w.out, string(fd.Name())), ':')
		if err := w.field(fd, i, next, depth); err != nil {
			return err
		}
		i = next
	}
	w.out = append(w.out, '}')
	return nil
}

// endOfField returns where the values of the field at i end.
func (w *jsonWriter) endOfField(i, to int) int {
	next := i + 1
	for next < to && w.found[next].field == w.found[i].field {
		next++
	}
	return next
}

// field writes the values found[from:to] of one field. There is at least one.
func (w *jsonWriter) field(fd protoreflect.FieldDescriptor, from, to, depth int) error {
	switch {
	case fd.IsMap():
		return w.mapObject(fd, from, to, depth)
	case fd.IsList():
		return w.list(fd, from, to, depth)
	case fd.Message() != nil:
		return w.message(fd.Message(), w.merged(from, to), depth+1)
	}
	return w.scalar(fd, w.found[to-1].bits, w.found[to-1].bytes)
}

// merged returns the occurrences found[from:to] of one message as one: one
// encoded message behind the other is the two merged.
func (w *jsonWriter) merged(from, to int) []byte {
	if to-from == 1 {
		return w.found[from].bytes
	}
	var all []byte
	for _, o := range w.found[from:to] {
		all = append(all, o.bytes...)
	}
	return all
}

func (w *jsonWriter) list(fd protoreflect.FieldDescriptor, from, to, depth int) error {
	w.out = append(w.out, '[')
	first := true
	next := func() {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
	}
	for i := from; i < to; i++ {
		o := w.found[i]
		var err error
		switch wire := scalars[fd.Kind()].wire; {
		case fd.Message() != nil:
			next()
			err = w.message(fd.Message(), o.bytes, depth+1)
		case o.wire != wire:
			err = packed(wire, o.bytes, func(bits uint64) error {
				next()
				return w.scalar(fd, bits, nil)
			})
		default:
			next()
			err = w.scalar(fd, o.bits, o.bytes)
		}
		if err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *jsonWriter) mapObject(fd protoreflect.FieldDescriptor, from, to, depth int) error {
	var last entries
	key := scalars[fd.MapKey().Kind()]
	for i := from; i < to; i++ {
		if err := last.put(w.found[i].bytes, key); err != nil {
			return err
		}
	}
	w.out = append(w.out, '{')
	for i := range last.list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(appendMapKey(w.out, last.key(i), key), ':')
		if err := w.entryValue(fd, last.list[i].encoded, depth); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// entryValue writes the value of a map's entry.
func (w *jsonWriter) entryValue(fd protoreflect.FieldDescriptor, encoded []byte, depth int) error {
	from := len(w.found)
	if err := w.scan(fd.Message(), encoded); err != nil {
		return err
	}
	defer func() { w.found = w.found[:from] }()
	value := fd.MapValue()
	for i := from; i < len(w.found); i++ {
		if w.found[i].field == value.Index() {
			return w.field(value, i, len(w.found), depth)
		}
	}
	return w.absent(value, depth)
}

// absent writes the value of a field that has its default.
func (w *jsonWriter) absent(fd protoreflect.FieldDescriptor, depth int) error {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return w.message(fd.Message(), nil, depth+1)
	case protoreflect.EnumKind:
		return w.scalar(fd, uint64(fd.Default().Enum()), nil)
	}
	return w.scalar(fd, 0, nil)
}

func (w *jsonWriter) scalar(fd protoreflect.FieldDescriptor, bits uint64, text []byte) error {
	switch kind := fd.Kind(); kind {
	case protoreflect.BoolKind:
		w.out = strconv.AppendBool(w.out, bits != 0)
	case protoreflect.EnumKind:
		w.enum(fd.Enum(), protoreflect.EnumNumber(int32(bits)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		w.out = strconv.AppendUint(w.out, bits, 10)
	case protoreflect.FloatKind:
		w.out = jsontext.AppendFloat(w.out, float64(math.Float32frombits(uint32(bits))), 32)
	case protoreflect.DoubleKind:
		w.out = jsontext.AppendFloat(w.out, math.Float64frombits(bits), 64)
	case protoreflect.StringKind:
		w.out = jsontext.AppendQuoted(w.out, text)
	case protoreflect.BytesKind:
		w.out = appendBase64(w.out, text)
	default:
		w.out = strconv.AppendInt(w.out, scalars[kind].integer(bits), 10)
	}
	if len(w.out) > w.limit {
		return decode.ErrExpands
	}
	return nil
}

func (w *jsonWriter) enum(ed protoreflect.EnumDescriptor, n protoreflect.EnumNumber) {
	switch v := ed.Values().ByNumber(n); {
	case ed.FullName() == "google.protobuf.NullValue":
		w.out = append(w.out, "null"...)
	case v != nil:
		w.out = jsontext.AppendQuoted(w.out, string(v.Name()))
	default:
		w.out = strconv.AppendInt(w.out, int64(n), 10)
	}
}

// appendMapKey appends a key, in the form of [entries], as a JSON string.
func appendMapKey(dst, key []byte, kind scalar) []byte {
	if kind.op == opText {
		return jsontext.AppendQuoted(dst, key)
	}
	return append(kind.appendNumber(append(dst, '"'), key), '"')
}

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// acceptedWires has a bit for each wire type that a value of the field may have.
func acceptedWires(fd protoreflect.FieldDescriptor) uint8 {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		return 1 << protowire.BytesType
	case protoreflect.GroupKind:
		return 1 << protowire.StartGroupType
	}
	wires := uint8(1) << scalars[fd.Kind()].wire
	if fd.IsList() {
		wires |= 1 << protowire.BytesType // packed, whatever the declaration says
	}
	return wires
}

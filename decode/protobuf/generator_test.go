package protobuf

import (
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// generator makes random messages.
type generator struct{ *rand.Rand }

// encoding encodes up to three messages one behind the other, which is one
// message that merges them, with its fields in any order, packed lists
// unpacked here and there.
func (r generator) encoding(t testing.TB, md protoreflect.MessageDescriptor) []byte {
	var fields [][]byte
	for range r.IntN(3) + 1 {
		m := dynamicpb.NewMessage(md)
		r.fill(m, 0)
		encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		for len(encoded) > 0 {
			number, wire, n := protowire.ConsumeField(encoded)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			field := encoded[:n]
			if fd := md.Fields().ByNumber(number); fd.IsList() && wire == protowire.BytesType && r.IntN(2) == 0 {
				field = unpack(fd, field)
			}
			fields, encoded = append(fields, field), encoded[n:]
		}
	}
	fields = append(fields, protowire.AppendBytes(protowire.AppendTag(nil, 9999, protowire.BytesType), []byte("unknown")))
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	var all []byte
	for _, f := range fields {
		all = append(all, f...)
	}
	return all
}

// unpack writes a packed list of varints value by value; others stay.
func unpack(fd protoreflect.FieldDescriptor, field []byte) []byte {
	switch fd.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint64Kind, protoreflect.BoolKind, protoreflect.EnumKind:
	default:
		return field
	}
	_, _, n := protowire.ConsumeTag(field)
	values, _ := protowire.ConsumeBytes(field[n:])
	var out []byte
	for len(values) > 0 {
		x, n := protowire.ConsumeVarint(values)
		out = protowire.AppendVarint(protowire.AppendTag(out, fd.Number(), protowire.VarintType), x)
		values = values[n:]
	}
	return out
}

func (r generator) fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	switch m.Descriptor().FullName() {
	case "google.protobuf.Timestamp", "google.protobuf.Duration":
		m.Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(r.Int64N(4e9)))
		m.Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(r.Int32N(1e9)))
		return
	case "google.protobuf.FieldMask":
		m.Mutable(fields.Get(0)).List().Append(protoreflect.ValueOfString("abc"))
		return
	case "google.protobuf.Value":
		r.fillValue(m, depth)
		return
	}
	for i := range fields.Len() {
		if fd := fields.Get(i); r.IntN(2+2*depth) == 0 && (depth < 3 || fd.Message() == nil) {
			r.fillField(m, fd, depth)
		}
	}
}

// fillValue picks one member: a Value without any is no JSON to the library.
func (r generator) fillValue(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	pick := fields.Get(r.IntN(fields.Len()))
	switch {
	case pick.Message() != nil && depth >= 3:
		m.Set(fields.ByName("null_value"), protoreflect.ValueOfEnum(0))
	case pick.Kind() == protoreflect.DoubleKind:
		m.Set(pick, protoreflect.ValueOfFloat64(r.NormFloat64()))
	case pick.Enum() != nil:
		m.Set(pick, protoreflect.ValueOfEnum(0))
	default:
		r.fillField(m, pick, depth)
	}
}

func (r generator) fillField(m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) {
	switch {
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range r.IntN(4) {
			if fd.Message() != nil {
				r.fill(list.AppendMutable().Message(), depth+1)
			} else {
				list.Append(r.scalar(fd))
			}
		}
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		for range r.IntN(4) {
			key := r.scalar(fd.MapKey()).MapKey()
			if fd.MapValue().Message() != nil {
				r.fill(entries.Mutable(key).Message(), depth+1)
			} else {
				entries.Set(key, r.scalar(fd.MapValue()))
			}
		}
	case fd.Message() != nil:
		r.fill(m.Mutable(fd).Message(), depth+1)
	default:
		m.Set(fd, r.scalar(fd))
	}
}

// bits returns a random number, often a small or an extreme one.
func (r generator) bits() uint64 {
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return uint64(r.IntN(3)) - 1
	case 2:
		return uint64(1) << r.IntN(64)
	}
	return r.Uint64()
}

func (r generator) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	texts := []string{"", "a", "né", "quote \" and \\ \n\x01", "a longer text of some words"}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum([]protoreflect.EnumNumber{0, 1, 2, 77, 100000, -3, -4}[r.IntN(7)])
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(r.bits()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(r.bits()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(r.bits()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(r.bits())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(math.Float64frombits(r.bits())))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(r.bits()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(texts[r.IntN(len(texts))]))
	}
	return protoreflect.ValueOfString(texts[r.IntN(len(texts))])
}

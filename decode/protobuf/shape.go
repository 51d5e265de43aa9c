package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
)

// compile makes the plan for messages of root.
func compile(root protoreflect.MessageDescriptor, fs *files, opt decode.Options) (decode.Plan, error) {
	c := compiler{files: fs}
	p := &plan{files: fs}
	var t decode.Type
	var err error
	if p.sole = wellKnown(root) != ordinary; p.sole {
		p.root, t, err = c.soleField(root)
	} else {
		p.root, t, err = c.fields(root)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	if c.any {
		fs.buildRest()
	}
	if p.layout, err = decode.Flatten(t, opt); err != nil {
		return nil, err
	}
	return p, nil
}

// compiler makes messages and their types from descriptors.
type compiler struct {
	files  *files
	within []protoreflect.FullName // message types around the one at hand
	seen   int                     // fields
	any    bool                    // there may be an Any
}

// soleField is a row of one column, for a type that is one value.
func (c *compiler) soleField(md protoreflect.MessageDescriptor) (*message, decode.Type, error) {
	f := field{name: "value", oneof: -1}
	t, err := c.messageField(&f, md)
	m := &message{fields: []field{f}}
	return m, decode.StructOf(decode.Field{Name: f.name, Type: t}), err
}

// fields compiles the fields of a message type.
func (c *compiler) fields(md protoreflect.MessageDescriptor) (*message, decode.Type, error) {
	if len(c.within) >= decode.MaxNesting {
		return nil, decode.Type{}, fmt.Errorf("its messages lie more than %d deep in one another", decode.MaxNesting)
	}
	c.within = append(c.within, md.FullName())
	defer func() { c.within = c.within[:len(c.within)-1] }()

	n := md.Fields().Len()
	m := &message{fields: make([]field, n), chosen: make([]int, md.Oneofs().Len())}
	t := decode.StructOf(make([]decode.Field, n)...)
	order := make([]protowire.Number, n)
	for i := range n {
		fd := md.Fields().Get(i)
		if c.seen++; c.seen > decode.MaxFields {
			return nil, t, fmt.Errorf("it becomes more than %d fields", decode.MaxFields)
		}
		var err error
		order[i] = fd.Number()
		t.Fields[i] = decode.Field{Name: string(fd.Name()), Description: describe(fd)}
		if m.fields[i], t.Fields[i].Type, err = c.field(fd); err != nil {
			return nil, t, fmt.Errorf("field %s: %w", fd.Name(), err)
		}
	}
	m.numbers = newNumbers(order)
	m.cost = t.Weight()
	return m, t, nil
}

func (c *compiler) field(fd protoreflect.FieldDescriptor) (field, decode.Type, error) {
	f := field{
		name:     string(fd.Name()),
		accepts:  acceptedWires(fd),
		repeated: fd.Cardinality() == protoreflect.Repeated,
		zero:     !fd.HasPresence(),
		oneof:    -1,
	}
	if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() {
		f.oneof = o.Index()
	}
	var t decode.Type
	var err error
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		t, err = c.messageField(&f, fd.Message())
	default:
		f.scalar = scalars[fd.Kind()]
		f.op = f.scalar.op
		t = decode.Scalar(f.scalar.kind)
		if f.op == opEnum {
			if fd.Enum().IsPlaceholder() {
				return f, t, c.missing(fd.Enum().FullName())
			}
			f.enum = newEnum(fd.Enum())
			if !f.repeated {
				f.def = int32(fd.Default().Enum())
			}
		}
	}
	if f.repeated && f.op != opMap {
		t = decode.ListOf(t)
	}
	return f, t, err
}

// messageField compiles a field that holds messages of a type.
func (c *compiler) messageField(f *field, md protoreflect.MessageDescriptor) (t decode.Type, err error) {
	if md.IsPlaceholder() {
		return t, c.missing(md.FullName())
	}
	f.op = opMessage
	switch kind := wellKnown(md); {
	case md.IsMapEntry():
		f.op = opMap
		f.msg, t, err = c.fields(md)
		if err != nil {
			return t, err
		}
		for i := range f.msg.fields { // an entry always has both
			f.msg.fields[i].zero = true
		}
		return decode.MapOf(t.Fields[0].Type, t.Fields[1].Type), nil
	case kind == timestamp:
		f.msg = newInstant(md)
		return decode.Scalar(decode.Timestamp), nil
	case kind == duration:
		f.msg = newInstant(md)
		return decode.Scalar(decode.Duration), nil
	case kind == wrapper:
		f.msg, t, err = c.fields(md)
		if err != nil {
			return t, err
		}
		f.msg.kind, f.msg.fields[0].zero = unwrapped, true
		return t.Fields[0].Type, nil
	case kind != ordinary || slices.Contains(c.within, md.FullName()):
		f.op, f.json = opJSON, md
		c.any = c.any || kind == anyMessage || kind == ordinary
		return decode.Scalar(decode.JSON), nil
	case md.Fields().Len() == 0:
		f.msg = &message{kind: marker, cost: 1}
		return decode.Scalar(decode.Bool), nil
	}
	f.msg, t, err = c.fields(md)
	return t, err
}

// newInstant makes the message of a time or duration, which keeps its parts.
func newInstant(md protoreflect.MessageDescriptor) *message {
	sec, nsec := secondsAndNanos(md)
	m := &message{kind: instant, cost: 8}
	for _, fd := range []protoreflect.FieldDescriptor{sec, nsec} {
		m.fields = append(m.fields, field{
			name: string(fd.Name()), op: opKeep, scalar: scalars[fd.Kind()], accepts: acceptedWires(fd), oneof: -1,
		})
	}
	m.numbers = newNumbers([]protowire.Number{sec.Number(), nsec.Number()})
	return m
}

// missing tells that a type is defined nowhere.
func (c *compiler) missing(name protoreflect.FullName) error {
	if len(c.files.missing) == 0 {
		return fmt.Errorf("type %s is defined in none of its files", name)
	}
	return fmt.Errorf("type %s is defined in none of its files, which import what the schema lacks: %s",
		name, strings.Join(quoteSome(c.files.missing), ", "))
}

func quoteSome(paths []string) []string {
	var quoted []string
	for _, path := range paths[:min(len(paths), maxNamesSuggested)] {
		quoted = append(quoted, fmt.Sprintf("%q", path))
	}
	return quoted
}

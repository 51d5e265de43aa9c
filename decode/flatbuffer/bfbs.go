package flatbuffer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tapedeck/decode"
)

// baseType is reflection.fbs's enum of that name.
type baseType uint8

const (
	typeNone baseType = iota
	typeUType
	typeBool
	typeByte
	typeUByte
	typeShort
	typeUShort
	typeInt
	typeUInt
	typeLong
	typeULong
	typeFloat
	typeDouble
	typeString
	typeVector
	typeObject
	typeUnion
	typeArray
	typeVector64
)

// Slots of the fields that are read of reflection.fbs's tables: 4 + 2·id.
const (
	schemaObjects, schemaEnums, schemaIdentifier, schemaRoot = 4, 6, 8, 12

	objectName, objectFields, objectIsStruct, objectSize = 4, 6, 8, 12

	fieldName, fieldTypeOf, fieldID, fieldOffset       = 4, 6, 8, 10
	fieldDefaultInt, fieldDefaultReal, fieldDeprecated = 12, 14, 16
	fieldDocumentation, fieldOptional, fieldOffset64   = 24, 26, 30

	typeBase, typeElement, typeIndex, typeLength = 4, 6, 8, 10

	enumName, enumValues, enumIsUnion      = 4, 6, 8
	valueName, valueNumber, valueUnionType = 4, 6, 10
)

// schema is a binary schema, read as far as it is asked for.
type schema struct {
	reader
	objectAt, enumAt []int
	objects          map[int]*object
	enums            map[int]*enum
	identifier       string
	root             int  // place of the root table's object; 0 when there is none
	sealed           bool // plans share it, so that nothing more may be read
}

// object is a table or struct type.
type object struct {
	name     string
	isStruct bool
	size     int // of a struct
	fields   []fieldDef
}

// typeRef is the type of a field.
type typeRef struct {
	base, elem baseType
	index      int // of an object or enum; -1 when there is none
	length     int // of an array
}

// fieldDef is a field as it is defined.
type fieldDef struct {
	name, doc   string
	typ         typeRef
	id, slot    int // slot: in the vtable, or the offset in a struct
	defaultInt  int64
	defaultReal float64
	optional    bool // a scalar whose default is null
	offset64    bool
}

// enum is an enum or union type. Of names with one number the first counts.
type enum struct {
	names   map[int64]string
	members []member // of a union
}

// member is a member of a union.
type member struct {
	name   string
	number uint64
	typ    typeRef
}

// schemaMark is the file identifier of binary schemas.
const schemaMark = "BFBS"

func isBinarySchema(data []byte) bool { return len(data) > 8 && string(data[4:8]) == schemaMark }

// parseSchema reads the frame of a binary schema.
func parseSchema(data []byte) (*schema, error) {
	if len(data) == 0 {
		return nil, errors.New("it has no data; expected a binary schema (.bfbs)")
	}
	if !isBinarySchema(data) {
		if raw, ok := decode.DecodeBase64(data); ok && isBinarySchema(raw) {
			data = raw
		}
	}
	s := &schema{
		reader:  reader{b: data, definitions: maxDefinitions, budget: readAlways + readPerByte*len(data)},
		objects: map[int]*object{}, enums: map[int]*enum{},
	}
	root, err := s.b.root(schemaMark)
	if err != nil {
		return nil, fmt.Errorf("expected a binary schema (.bfbs): %w", err)
	}
	s.objectAt, s.enumAt = s.tables(root, schemaObjects), s.tables(root, schemaEnums)
	s.identifier = s.name(root, schemaIdentifier)
	if at := root.field(schemaRoot); at != 0 {
		s.root = s.follow(at)
	}
	if s.err != nil {
		return nil, fmt.Errorf("expected a binary schema (.bfbs): %w", s.err)
	}
	return s, nil
}

// rootIndex returns the index of the object that messages are.
func (s *schema) rootIndex(name string) (int, error) {
	var names []string
	fallback := -1
	for i, at := range s.objectAt {
		t := s.table(at)
		is := s.name(t, objectName)
		if s.err != nil {
			return 0, s.err
		}
		if is == strings.TrimPrefix(name, ".") && name != "" {
			return i, nil
		}
		if at == s.root {
			fallback = i
		}
		if len(names) <= maxNamesSuggested && s.uint(t, objectIsStruct, 1) == 0 {
			names = append(names, is)
		}
	}
	if fallback >= 0 {
		return fallback, nil
	}
	if len(names) > maxNamesSuggested {
		names[maxNamesSuggested] = "…"
	}
	return 0, fmt.Errorf("it has no table %q and no root_type; it has %s", name, strings.Join(names, ", "))
}

// object returns the i-th object.
func (s *schema) object(i int) (*object, error) {
	if o, ok := s.objects[i]; ok {
		return o, nil
	}
	if i < 0 || i >= len(s.objectAt) || s.sealed {
		return nil, fmt.Errorf("it refers to object %d of %d", i, len(s.objectAt))
	}
	t := s.table(s.objectAt[i])
	o := &object{name: s.name(t, objectName), isStruct: s.uint(t, objectIsStruct, 1) != 0, size: int(int32(s.uint(t, objectSize, 4)))}
	for _, at := range s.tables(t, objectFields) {
		if ft := s.table(at); s.uint(ft, fieldDeprecated, 1) == 0 {
			o.fields = append(o.fields, s.field(ft))
		}
		if s.define(); s.err != nil {
			break
		}
	}
	if s.err != nil {
		return nil, fmt.Errorf("definition of %s: %w", o.name, s.err)
	}
	// Reflection sorts by name. A struct's ids are in the order of its offsets.
	slices.SortStableFunc(o.fields, func(a, b fieldDef) int { return cmp.Or(a.id-b.id, a.slot-b.slot) })
	s.objects[i] = o
	return o, nil
}

func (s *schema) field(t table) fieldDef {
	return fieldDef{
		name:        s.name(t, fieldName),
		doc:         s.documentation(t, fieldDocumentation),
		typ:         s.typeRef(t, fieldTypeOf),
		id:          int(s.uint(t, fieldID, 2)),
		slot:        int(s.uint(t, fieldOffset, 2)),
		defaultInt:  int64(s.uint(t, fieldDefaultInt, 8)),
		defaultReal: s.real(t, fieldDefaultReal),
		optional:    s.uint(t, fieldOptional, 1) != 0,
		offset64:    s.uint(t, fieldOffset64, 1) != 0,
	}
}

func (s *schema) typeRef(of table, slot int) typeRef {
	at := of.field(slot)
	if at == 0 {
		return typeRef{index: -1}
	}
	t := s.table(s.follow(at))
	ref := typeRef{
		base: baseType(s.uint(t, typeBase, 1)), elem: baseType(s.uint(t, typeElement, 1)),
		index: -1, length: int(s.uint(t, typeLength, 2)),
	}
	if t.field(typeIndex) != 0 {
		ref.index = int(int32(s.uint(t, typeIndex, 4)))
	}
	return ref
}

// enum returns the i-th enum or union.
func (s *schema) enum(i int) (*enum, error) {
	if e, ok := s.enums[i]; ok {
		return e, nil
	}
	if i < 0 || i >= len(s.enumAt) || s.sealed {
		return nil, fmt.Errorf("it refers to enum %d of %d", i, len(s.enumAt))
	}
	t := s.table(s.enumAt[i])
	e := &enum{names: map[int64]string{}}
	isUnion := s.uint(t, enumIsUnion, 1) != 0
	for _, at := range s.tables(t, enumValues) {
		vt := s.table(at)
		name, number := s.name(vt, valueName), int64(s.uint(vt, valueNumber, 8))
		if _, twice := e.names[number]; !twice {
			e.names[number] = name
		}
		if ref := s.typeRef(vt, valueUnionType); isUnion && ref.base != typeNone {
			e.members = append(e.members, member{name, uint64(number), ref})
		}
		if s.define(); s.err != nil {
			break
		}
	}
	if s.err != nil {
		return nil, fmt.Errorf("definition of %s: %w", s.name(t, enumName), s.err)
	}
	s.enums[i] = e
	return e, nil
}

// documentation returns the comment above a definition in one line.
func (s *schema) documentation(t table, slot int) string {
	var lines []string
	length := 0
	for _, at := range s.tables(t, slot) {
		line := string(s.bytes(at))
		if lines, length = append(lines, line), length+len(line); length > decode.MaxDescription {
			break
		}
	}
	return decode.Describe(strings.Join(lines, " "))
}

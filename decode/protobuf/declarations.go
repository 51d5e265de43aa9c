package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"
)

// declarations counts what files declare before the library makes descriptors
// of it, and notes where each message type is.
type declarations struct {
	paths  map[string]string // message type → file
	names  []string          // of message types, in order
	budget int               // bytes of full names left
	err    error
}

func (d *declarations) file(f *descriptorpb.FileDescriptorProto) {
	scope := f.GetPackage()
	for _, m := range f.GetMessageType() {
		d.message(f.GetName(), scope, m)
	}
	for _, e := range f.GetEnumType() {
		d.enum(scope, e)
	}
	for _, s := range f.GetService() {
		name := d.declare(scope, s.GetName())
		for _, m := range s.GetMethod() {
			d.declare(name, m.GetName())
		}
	}
	d.fields(scope, f.GetExtension())
	d.declare("", f.GetName())
}

func (d *declarations) message(path, scope string, m *descriptorpb.DescriptorProto) {
	name := d.declare(scope, m.GetName())
	if d.err != nil {
		return
	}
	if _, twice := d.paths[name]; !twice && !m.GetOptions().GetMapEntry() {
		d.paths[name] = path
		d.names = append(d.names, name)
	}
	d.fields(name, m.GetField())
	d.fields(name, m.GetExtension())
	for _, o := range m.GetOneofDecl() {
		d.declare(name, o.GetName())
	}
	for _, e := range m.GetEnumType() {
		d.enum(name, e)
	}
	for _, n := range m.GetNestedType() {
		d.message(path, name, n)
	}
}

func (d *declarations) fields(scope string, fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		d.declare(scope, f.GetName())
	}
}

func (d *declarations) enum(scope string, e *descriptorpb.EnumDescriptorProto) {
	name := d.declare(scope, e.GetName())
	for _, v := range e.GetValue() {
		d.declare(name, v.GetName())
	}
}

// declare returns the full name of a declaration.
func (d *declarations) declare(scope, name string) string {
	if d.err != nil {
		return ""
	}
	length := len(scope) + 1 + len(name)
	if length > maxNameLength {
		d.err = fmt.Errorf("name of %d bytes, beginning with %.40q: expected at most %d", length, scope+"."+name, maxNameLength)
		return ""
	}
	if d.budget -= length; d.budget < 0 {
		d.err = fmt.Errorf("full names of what it declares are more than %d times as large as the schema", nameBytesPerByte)
		return ""
	}
	if scope == "" {
		return name
	}
	return scope + "." + name
}

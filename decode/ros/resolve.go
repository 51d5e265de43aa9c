package ros

import (
	"fmt"
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// resolver makes types of sections, each once.
type resolver struct {
	*dialect
	sections map[string]section  // by clean name
	short    map[string][]string // clean names by type
	types    map[string]*cdr.Type
	scalars  map[cdr.Kind]*cdr.Type
	depth    int
}

// resolve returns the type that the first section defines.
func (d *dialect) resolve(sections []section) (*cdr.Type, error) {
	r := resolver{
		dialect:  d,
		sections: map[string]section{},
		short:    map[string][]string{},
		types:    map[string]*cdr.Type{},
		scalars:  map[cdr.Kind]*cdr.Type{},
	}
	for _, s := range sections {
		if _, again := r.sections[s.name]; again || s.name == "" {
			continue
		}
		r.sections[s.name] = s
		short := shortName(s.name)
		r.short[short] = append(r.short[short], s.name)
	}
	for name, text := range d.wellKnown {
		if _, defined := r.sections[name]; !defined {
			r.sections[name] = section{name, linesOf(text)}
		}
	}
	return r.structure(sections[0])
}

// structure returns the type of a section. A type may be part of itself: it
// is known before its members are.
func (r *resolver) structure(s section) (*cdr.Type, error) {
	if t, known := r.types[s.name]; known {
		return t, nil
	}
	if r.depth++; r.depth > decode.MaxNesting {
		return nil, fmt.Errorf("definitions lie more than %d deep in one another", decode.MaxNesting)
	}
	defer func() { r.depth-- }()
	def, err := r.define(s)
	if err != nil {
		return nil, fmt.Errorf("definition of %s: %w", s.name, err)
	}
	if r.pairIsTime && r.depth > 1 && isPair(def) {
		r.types[s.name] = r.scalar(cdr.Time)
		if strings.HasSuffix(s.name, "Duration") {
			r.types[s.name] = r.scalar(cdr.Duration)
		}
		return r.types[s.name], nil
	}
	t := &cdr.Type{Kind: cdr.Struct, Name: s.name}
	r.types[s.name] = t
	for i, f := range def.fields {
		typ, err := r.fieldType(def, f)
		if err != nil {
			return nil, err
		}
		t.Members = append(t.Members, cdr.Member{Name: f.name, Type: typ, ID: uint32(i)})
	}
	r.explain(t.Members, def)
	if r.dummy && len(t.Members) == 0 {
		t.Members = []cdr.Member{{Name: cdr.DummyMember, Type: r.scalar(cdr.Uint8)}}
	}
	return t, nil
}

func (r *resolver) fieldType(def definition, f field) (*cdr.Type, error) {
	elem, err := r.base(def, f)
	switch {
	case err != nil || f.typ.list == single:
		return elem, err
	case elem.Kind == cdr.Int8 && f.typ.base == "byte":
		elem = r.scalar(cdr.Byte) // ROS 1: a number alone, but raw bytes in a list
	}
	if f.typ.list == array {
		return &cdr.Type{Kind: cdr.Array, Elem: elem, Len: f.typ.count}, nil
	}
	return &cdr.Type{Kind: cdr.Sequence, Elem: elem}, nil
}

func (r *resolver) base(def definition, f field) (*cdr.Type, error) {
	if k, primitive := r.primitives[f.typ.base]; primitive {
		return r.scalar(k), nil
	}
	s, err := r.find(def, f)
	if err != nil {
		return nil, err
	}
	return r.structure(s)
}

// isPair reports whether a definition is that of builtin_interfaces/Time and
// Duration. Recorders that learn types from the wire lose their names.
func isPair(def definition) bool {
	return len(def.fields) == 2 && def.fields[0].is("int32", "sec") && def.fields[1].is("uint32", "nanosec")
}

func (f field) is(base, name string) bool { return f.typ == typeRef{base: base} && f.name == name }

// find returns the section that a field's type names. A name without package
// is one of the definition's own package first, then, if it is
// Header, std_msgs', then the only one of that name.
func (r *resolver) find(def definition, f field) (section, error) {
	name := cleanName(f.typ.base)
	candidates := []string{name}
	if packageOf(name) == "" {
		candidates = []string{in(packageOf(def.name), name), name}
		if name == "Header" {
			candidates = append(candidates, "std_msgs/Header")
		}
		if len(r.short[name]) == 1 {
			candidates = append(candidates, r.short[name]...)
		}
	}
	for _, c := range candidates {
		if s, ok := r.sections[c]; ok {
			return s, nil
		}
	}
	if n := len(r.short[name]); n > 1 {
		return section{}, fmt.Errorf("field %s of %s is a %s, and %d packages have one: %v", f.name, def.name, f.typ.base, n, r.short[name][:min(n, 5)])
	}
	return section{}, fmt.Errorf("the recording holds no definition of %s, the type of field %s of %s", f.typ.base, f.name, def.name)
}

// scalar returns the type of a kind without parts.
func (r *resolver) scalar(k cdr.Kind) *cdr.Type {
	if r.scalars[k] == nil {
		r.scalars[k] = &cdr.Type{Kind: k}
	}
	return r.scalars[k]
}

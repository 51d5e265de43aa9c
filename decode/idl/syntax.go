package idl

import (
	"strings"

	"tapedeck/decode/cdr"
)

// file is a text that was parsed. Names in it are not yet looked up.
type file struct {
	global  *scope
	structs []*decl // in the order of the text
}

// scope is a module, or an enum with its enumerators: names and what they stand for.
type scope struct {
	name   string
	parent *scope // nil for the global scope
	decls  map[string]*decl
	order  []*decl // as they were declared
}

func newScope(name string, parent *scope) *scope {
	return &scope{name: name, parent: parent, decls: map[string]*decl{}}
}

// decl is a definition.
type decl struct {
	name   string
	scope  *scope
	line   int
	source string // the text of the definition
	clash  int    // the line of another definition of this name that differs
	notes  notes
	body   any    // one of the types below
	inner  *scope // of a module or an enum
}

// What a name may stand for.
type (
	moduleBody struct{}
	structBody struct {
		base    *ref
		members []member
	}
	unionBody struct {
		discriminator *typeSpec
		cases         []unionCase
	}
	enumBody       struct{ enumerators []enumerator }
	enumeratorBody struct{ enum *decl }
	bitmaskBody    struct{ flags []enumerator }
	bitsetBody     struct {
		base   *ref
		fields []bitfield
	}
	typedefBody struct {
		spec *typeSpec
		dims []*expr
	}
	constBody struct {
		spec  *typeSpec
		value *expr
	}
	forwardBody struct{}
	foreignBody struct{ keyword string } // an interface and others that no message is made of
)

type member struct {
	name  string
	spec  *typeSpec
	dims  []*expr // behind the name
	notes notes
}

type unionCase struct {
	member
	labels []*expr
	other  bool // has the label "default"
}

type enumerator struct {
	name  string
	value *expr // nil when it follows from the one before
	line  int
}

type bitfield struct {
	names []string
	width *expr
}

// typeSpec is a type as it is written.
type typeSpec struct {
	form       typeForm
	kind       cdr.Kind // of a basic type
	name       ref
	key, value *typeSpec // of a map; a sequence and an array have value only
	dims       []*expr   // of an array
	keyword    string    // of a foreign type
	line       int
}

type typeForm uint8

const (
	basicForm typeForm = iota
	namedForm
	sequenceForm
	mapForm
	arrayForm   // long[3]: Fast DDS puts the dimensions there where it has no name
	foreignForm // fixed, any and the like
)

// ref is a scoped name and the place from which it is looked up.
type ref struct {
	name string // a::b::c, or ::a::b::c
	from *scope
	line int
}

// find returns what the name stands for, or nil. It looks from the inner scope
// outward, in each for the whole name: ROS has many modules named msg.
func (r ref) find() *decl {
	if name, absolute := strings.CutPrefix(r.name, "::"); absolute {
		return r.from.global().descend(name)
	}
	for s := r.from; s != nil; s = s.parent {
		if d := s.descend(r.name); d != nil {
			return d
		}
	}
	return nil
}

func (s *scope) global() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (s *scope) descend(name string) *decl {
	for {
		first, rest, more := strings.Cut(name, "::")
		d := s.decls[first]
		if !more || d == nil {
			return d
		}
		if d.inner == nil {
			return nil
		}
		s, name = d.inner, rest
	}
}

// declare puts d in its scope. The same definition may come twice, as it does
// where recorders join files; one that differs makes the name unusable.
func (s *scope) declare(d *decl) {
	old := s.decls[d.name]
	switch {
	case old == nil || old.yields() && !d.yields():
		s.decls[d.name] = d
		s.order = append(s.order, d)
	case old.yields() || d.yields() || old.clash > 0:
	case !sameTokens(old.source, d.source):
		old.clash = d.line
	case len(d.source) < len(old.source): // so that a long one is not compared again and again
		old.source = d.source
	}
}

// lastPart returns c of a::b::c.
func lastPart(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// yields reports whether another definition of the name takes its place.
func (d *decl) yields() bool {
	switch d.body.(type) {
	case forwardBody, foreignBody, enumeratorBody:
		return true
	}
	return false
}

// path returns the whole name of d: a::b::c.
func (d *decl) path() string {
	name := d.name
	for s := d.scope; s != nil && s.parent != nil; s = s.parent {
		name = s.name + "::" + name
	}
	return name
}

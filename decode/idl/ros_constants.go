package idl

import (
	"go/constant"
	"strings"

	"tapedeck/decode/cdr"
)

// addConstants puts the constants of the module T_Constants, where ROS 2 has
// those of T, in the descriptions of the members that they are for.
func (b *builder) addConstants(d *decl, t *cdr.Type) {
	module := d.scope.decls[d.name+"_Constants"]
	if module == nil || module.inner == nil {
		return
	}
	names := make([][]string, len(t.Members))
	subjects := newSubjects(t.Members)
	for _, c := range module.inner.order {
		body, ok := c.body.(constBody)
		if !ok {
			continue
		}
		i, found := subjects.of(c.name, body.spec.kind)
		if !found {
			continue
		}
		if v, err := b.constant(c, body, c.line); err == nil { // a broken one is needed by no message
			names[i] = append(names[i], c.name+"="+constantText(v, body.spec.kind))
		}
	}
	for i := range t.Members {
		m := &t.Members[i]
		m.Description = joinParts(m.Description, strings.Join(names[i], ", "))
	}
}

// subjects finds the member that a constant is about.
type subjects struct {
	members []cdr.Member
	byName  map[string]int   // in upper case
	byKind  map[cdr.Kind]int // the only member of a kind, or several
}

// several stands for the member of a kind that more than one member is of.
const several = -1

func newSubjects(members []cdr.Member) subjects {
	s := subjects{members: members, byName: map[string]int{}, byKind: map[cdr.Kind]int{}}
	for i, m := range members {
		s.byName[strings.ToUpper(m.Name)] = i
		kind := alike(m.Type.Kind)
		if _, again := s.byKind[kind]; again {
			i = several
		}
		s.byKind[kind] = i
	}
	return s
}

// of returns the member of the constant's type whose name begins the
// constant's, as STATUS_FIX is about status; else, for integers, the only
// member of the type.
func (s subjects) of(name string, kind cdr.Kind) (i int, found bool) {
	const longest = 100 // no name of people's making is longer
	for end := min(len(name), longest) - 1; end > 0; end-- {
		if name[end] != '_' {
			continue
		}
		if i, found = s.byName[name[:end]]; found {
			return i, alike(scalarKind(s.members[i].Type)) == alike(kind)
		}
	}
	if kind < cdr.Int8 || kind > cdr.Uint64 {
		return 0, false
	}
	i, found = s.byKind[alike(kind)]
	return i, found && i != several
}

// scalarKind returns the kind of the elements of lists, and of all else its own.
func scalarKind(t *cdr.Type) cdr.Kind {
	if t.Elem != nil {
		return t.Elem.Kind
	}
	return t.Kind
}

// alike returns one kind for a byte and a number of its size, which definitions mix.
func alike(k cdr.Kind) cdr.Kind {
	if k == cdr.Byte {
		return cdr.Uint8
	}
	return k
}

func constantText(v constant.Value, kind cdr.Kind) string {
	if v.Kind() == constant.Int && (kind == cdr.Char || kind == cdr.WChar) {
		code, _ := constant.Int64Val(v) // a character's code is small
		return "'" + string(rune(code)) + "'"
	}
	return oneLine(v.String())
}

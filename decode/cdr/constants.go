package cdr

import (
	"strings"

	"tapedeck/decode"
)

// Constant is a constant of a definition.
type Constant struct {
	Name string
	Kind Kind
	Text string // the value as people read it
}

// Explain adds constants to the descriptions of the members that they are
// about: those whose name begins the constant's, as STATUS_FIX is about status;
// else, for integers, the only member of their type.
func Explain(members []Member, constants []Constant) {
	about := newSubjects(members)
	texts := make([][]string, len(members))
	for _, c := range constants {
		if i, found := about.of(c); found {
			texts[i] = append(texts[i], c.Name+"="+c.Text)
		}
	}
	for i := range members {
		m := &members[i]
		m.Description = decode.Describe(m.Description, strings.Join(texts[i], ", "))
	}
}

// subjects finds the member that a constant is about.
type subjects struct {
	members []Member
	byName  map[string]int // in upper case
	byKind  map[Kind]int   // the only member of a kind, or several
}

// several stands for the member of a kind that more than one member is of.
const several = -1

func newSubjects(members []Member) subjects {
	s := subjects{members: members, byName: map[string]int{}, byKind: map[Kind]int{}}
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

func (s subjects) of(c Constant) (i int, found bool) {
	const longest = 100 // no name of people's making is longer
	for end := min(len(c.Name), longest) - 1; end > 0; end-- {
		if c.Name[end] != '_' {
			continue
		}
		if i, found = s.byName[c.Name[:end]]; found {
			kind := s.members[i].Type.elementKind()
			return i, kind == c.Kind || kind.isInteger() && c.Kind.isInteger()
		}
	}
	if !c.Kind.isInteger() {
		return 0, false
	}
	i, found = s.byKind[alike(c.Kind)]
	return i, found && i != several
}

// elementKind returns the kind of the elements of lists, and of all else its own.
func (t *Type) elementKind() Kind {
	if t.Elem != nil {
		return t.Elem.Kind
	}
	return t.Kind
}

func (k Kind) isInteger() bool { return Int8 <= k && k <= Uint64 }

// alike returns one kind for a byte and a number of its size, which definitions mix.
func alike(k Kind) Kind {
	if k == Byte {
		return Uint8
	}
	return k
}

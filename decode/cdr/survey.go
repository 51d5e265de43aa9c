package cdr

import (
	"fmt"

	"tapedeck/decode"
)

// survey is what compiling and decoding look up of the types that a root holds.
type survey struct {
	seen    map[*Type]bool
	order   []*Type                    // of seen
	minimum map[*Type]int              // see size
	ids     map[*Type]map[uint32]int   // of structs: member by id
	cases   map[*Type]*cases           // of unions
	labels  map[*Type]map[int64]string // of enums
	unclear unclear
}

// cases says which member of a union a discriminator picks.
type cases struct {
	member    map[int64]int
	otherwise int // the default member, or none
}

// none is the number of no member.
const none = -1

// newSurvey walks everything that root holds and refuses what can't be: parts
// that are missing, lengths below zero, a struct that holds itself whole.
func newSurvey(root *Type) (*survey, error) {
	s := &survey{
		seen:    map[*Type]bool{},
		minimum: map[*Type]int{},
		ids:     map[*Type]map[uint32]int{},
		cases:   map[*Type]*cases{},
		labels:  map[*Type]map[int64]string{},
	}
	if err := s.visit(root, 0); err != nil {
		return nil, err
	}
	for _, t := range s.order {
		if _, err := s.size(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *survey) visit(t *Type, depth int) error {
	switch {
	case t == nil || t.Kind == Invalid || t.Kind > Union:
		return fmt.Errorf("%w: a part of it has no type", decode.ErrSchema)
	case depth > decode.MaxNesting:
		return fmt.Errorf("%w: its types lie more than %d deep in one another", decode.ErrSchema, decode.MaxNesting)
	case s.seen[t]:
		return nil
	}
	s.see(t)
	switch t.Kind {
	case WChar, WString:
		s.unclear.wide = true
	case Array, Sequence:
		if t.Len < 0 {
			return fmt.Errorf("%w: an array has %d elements", decode.ErrSchema, t.Len)
		}
		return s.visit(t.Elem, depth+1)
	case Enum:
		return s.enum(t)
	case Struct:
		if t.Entry && len(t.Members) != 2 {
			return fmt.Errorf("%w: an entry of a map has %d members, not a key and a value", decode.ErrSchema, len(t.Members))
		}
		s.unclear.unsaid = s.unclear.unsaid || t.Extensibility == Unsaid
		s.ids[t] = make(map[uint32]int, len(t.Members))
	case Union:
		s.unclear.unsaid = s.unclear.unsaid || t.Extensibility == Unsaid
		s.cases[t] = &cases{member: map[int64]int{}, otherwise: none}
		if err := s.discriminator(t); err != nil {
			return err
		}
	}
	for i, m := range t.Members {
		if err := s.visit(m.Type, depth+1); err != nil {
			return err
		}
		s.index(t, i, m)
		s.unclear.optionals = s.unclear.optionals || m.Optional
	}
	return nil
}

func (s *survey) see(t *Type) {
	s.seen[t] = true
	s.order = append(s.order, t)
}

func (s *survey) enum(t *Type) error {
	switch t.Bits {
	case 0, 8, 16, 32:
	default:
		return fmt.Errorf("%w: enum %s has %d bits, not 8, 16 or 32", decode.ErrSchema, t.Name, t.Bits)
	}
	s.labels[t] = make(map[int64]string, len(t.Labels))
	for _, l := range t.Labels {
		if _, taken := s.labels[t][l.Value]; !taken {
			s.labels[t][l.Value] = l.Name
		}
	}
	return nil
}

func (s *survey) discriminator(t *Type) error {
	if d := t.Discriminator; d != nil {
		switch d.Kind {
		case Bool, Int8, Uint8, Byte, Int16, Uint16, Int32, Uint32, Int64, Uint64, Char, WChar:
			s.see(d)
			return nil
		case Enum:
			return s.visit(d, 0)
		}
	}
	return fmt.Errorf("%w: union %s has no discriminator that is a number, a character, a boolean or an enum", decode.ErrSchema, t.Name)
}

func (s *survey) index(t *Type, i int, m Member) {
	if t.Kind == Struct {
		if _, taken := s.ids[t][m.ID]; !taken {
			s.ids[t][m.ID] = i
		}
		return
	}
	cases := s.cases[t]
	for _, c := range m.Cases {
		if _, taken := cases.member[c]; !taken {
			cases.member[c] = i
		}
	}
	if m.Default && cases.otherwise == none {
		cases.otherwise = i
	}
}

// sizeUnknown marks a type whose size is being worked out.
const sizeUnknown = -1

// sizeLimit keeps sizes of arrays of arrays from overflowing. No message has as many bytes.
const sizeLimit = 1 << 40

// size returns the fewest bytes that a value takes on the wire in any format,
// padding aside. It bounds how many elements a message can hold.
func (s *survey) size(t *Type) (int, error) {
	if n, known := s.minimum[t]; known {
		if n == sizeUnknown {
			return 0, fmt.Errorf("%w: %s holds itself, so that no message of it ends", decode.ErrSchema, t.Name)
		}
		return n, nil
	}
	s.minimum[t] = sizeUnknown
	n, err := s.sizeOf(t)
	s.minimum[t] = n
	return n, err
}

func (s *survey) sizeOf(t *Type) (int, error) {
	switch t.Kind {
	case Array:
		n, err := s.size(t.Elem)
		return min(n*min(t.Len, sizeLimit/max(n, 1)), sizeLimit), err
	case String, WString, Sequence:
		return 4, nil
	case Time, Duration:
		return 8, nil
	case Union:
		return framedSize(t, t.Discriminator.width()), nil
	case Struct:
		return s.structSize(t)
	}
	return t.width(), nil
}

func (s *survey) structSize(t *Type) (int, error) {
	sum := 0
	for _, m := range t.Members {
		switch {
		case m.Optional:
			sum++ // a flag, or a header
			continue
		case t.Extensibility == Mutable:
			continue // may be left out
		}
		n, err := s.size(m.Type)
		if err != nil {
			return 0, err
		}
		sum = min(sum+n, sizeLimit)
	}
	return framedSize(t, sum), nil
}

// framedSize returns the fewest bytes of a struct or union whose members take
// n, when an older writer may have known none of them.
func framedSize(t *Type, n int) int {
	switch t.Extensibility {
	case Appendable, Unsaid:
		return min(n, 4) // a DHEADER in XCDR2, the members in XCDR1
	case Mutable:
		return 4 // a DHEADER or the end of the list
	}
	return n
}

// width returns the bytes of a value whose bytes are one unit, and 0 for other types.
func (t *Type) width() int {
	switch t.Kind {
	case Bool, Int8, Uint8, Byte, Char:
		return 1
	case Int16, Uint16, WChar:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	case LongDouble:
		return 16
	case Enum:
		if t.Bits == 0 {
			return 4
		}
		return t.Bits / 8
	}
	return 0
}

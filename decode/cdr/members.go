package cdr

import "fmt"

// sink takes the members of a struct or union, of a union with the discriminator
// as number 0 and member i as number i+1. Each is either present, with the
// reader in front of its value, or absent.
type sink interface {
	present(p *plan, i int) error
	absent(p *plan, i int)
}

func (s *step) present(p *plan, i int) error { return p.run(s.parts[i].steps) }

func (s *step) absent(p *plan, i int) {
	for _, slot := range s.parts[i].slots {
		p.vectors[slot].AppendNull()
	}
}

// form returns how a struct or union is written that lies inside of another value.
func (p *plan) form(t *Type) form {
	e := t.Extensibility
	if e == Unsaid {
		e = p.unsaid
	}
	switch {
	case e == Mutable && !p.packed:
		return parameters
	case e == Appendable && p.v2:
		return delimited
	}
	return plain
}

// members reads a struct that lies inside of another value.
func (p *plan) members(t *Type, to sink) error {
	switch p.form(t) {
	case parameters:
		return p.parameters(t, to)
	case delimited:
		return p.delimited(t, to)
	}
	return p.sequential(t, to)
}

// sequential reads members that lie one after the other.
func (p *plan) sequential(t *Type, to sink) error {
	for i := range t.Members {
		if err := p.next(t, to, i); err != nil {
			return err
		}
	}
	return nil
}

// delimited reads members behind a DHEADER. The last ones are absent when the
// writer's type did not have them yet.
func (p *plan) delimited(t *Type, to sink) error {
	outer, err := p.dheader()
	if err != nil {
		return err
	}
	for i := range t.Members {
		if p.left() <= 0 {
			to.absent(p, i)
		} else if err := p.next(t, to, i); err != nil {
			return err
		}
	}
	p.widen(outer)
	return nil
}

func (p *plan) next(t *Type, to sink, i int) error {
	if t.Members[i].Optional {
		return p.optional(to, i, t.Members[i].ID)
	}
	return to.present(p, i)
}

// optional reads an optional member that is not in a parameter list: behind a
// flag in XCDR2, behind a parameter's header with its id in XCDR1.
func (p *plan) optional(to sink, i int, id uint32) error {
	if p.v2 || p.flags || p.packed {
		flag, err := p.uint8()
		switch {
		case err != nil:
			return err
		case flag > 1:
			return fmt.Errorf("an optional member is there or not by %d, which is neither 0 nor 1", flag)
		case flag == 0:
			to.absent(p, i)
			return nil
		}
		return to.present(p, i)
	}
	h, err := p.parameter1()
	if err != nil {
		return err
	}
	p.doubtful = p.doubtful || h.id != id
	if h.size == 0 {
		to.absent(p, i)
		return nil
	}
	outer, err := p.narrow(h.size, true)
	if err != nil {
		return err
	}
	if err := to.present(p, i); err != nil {
		return err
	}
	p.widen(outer)
	return nil
}

// union reads a discriminator and the member that it picks, in the frame that
// the union's extensibility asks for.
func (p *plan) union(t *Type, to sink) error {
	switch p.form(t) {
	case parameters:
		return p.unionParameters(t, to)
	case delimited:
		outer, err := p.dheader()
		if err != nil {
			return err
		}
		if err := p.plainUnion(t, to); err != nil {
			return err
		}
		p.widen(outer)
		return nil
	}
	return p.plainUnion(t, to)
}

func (p *plan) plainUnion(t *Type, to sink) error {
	picked, err := p.pick(t, to)
	if err != nil {
		return err
	}
	for i := range t.Members {
		if i != picked {
			to.absent(p, i+1)
		} else if err := to.present(p, i+1); err != nil {
			return err
		}
	}
	return nil
}

// pick hands the discriminator to the sink and returns the member that it
// picks, or none.
func (p *plan) pick(t *Type, to sink) (int, error) {
	ahead := p.reader
	d := t.Discriminator
	value, err := ahead.integer(d.width(), d.isSigned())
	if err != nil {
		return 0, err
	}
	if err := to.present(p, 0); err != nil {
		return 0, err
	}
	cases := p.cases[t]
	if i, ok := cases.member[value]; ok {
		return i, nil
	}
	return cases.otherwise, nil
}

func (t *Type) isSigned() bool {
	switch t.Kind {
	case Int8, Int16, Int32, Int64, Enum:
		return true
	}
	return false
}

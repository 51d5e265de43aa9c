package cdr

import "fmt"

// parameter is the header of a member in a parameter list.
type parameter struct {
	id   uint32
	size int
	end  bool // no member: the end of an XCDR1 list
}

// Identifiers of XCDR1 parameters that are no members (DDS-XTypes 1.3, 7.4.1.2).
const (
	pidMask     = 0x3fff // without the flags "must understand" and "implementation"
	pidExtended = 0x3f01 // a longer header follows
	pidListEnd  = 0x3f02
	pidIgnore   = 0x3f03
	idMask      = 0x0fffffff
)

// parameter1 reads the header of an XCDR1 parameter.
func (r *reader) parameter1() (parameter, error) {
	r.align(4)
	b := r.bytes(4)
	if b == nil {
		return parameter{}, r.missing(4)
	}
	pid, size := r.order16(b)&pidMask, int(r.order16(b[2:]))
	switch pid {
	case pidListEnd:
		return parameter{end: true}, nil
	case pidExtended:
		if b = r.bytes(8); b == nil {
			return parameter{}, r.missing(8)
		}
		return parameter{id: r.order32(b) & idMask, size: int(r.order32(b[4:]))}, nil
	}
	return parameter{id: uint32(pid), size: size}, nil
}

// parameter2 reads the header of an XCDR2 member (an EMHEADER), whose length
// code gives the size, or says that the next integer does. From code 5 on that
// integer is a part of the member too.
func (r *reader) parameter2() (parameter, error) {
	h, err := r.uint32()
	if err != nil {
		return parameter{}, err
	}
	m, code := parameter{id: h & idMask}, h>>28&7
	if code < 4 {
		m.size = 1 << code
		return m, nil
	}
	at := r.pos
	n, err := r.uint32()
	if err != nil {
		return m, err
	}
	m.size = int(n)
	switch code {
	case 6:
		m.size *= 4
	case 7:
		m.size *= 8
	}
	if code > 4 {
		r.pos = at
		m.size += 4
	}
	return m, nil
}

func (r *reader) parameter() (parameter, error) {
	if r.v2 {
		return r.parameter2()
	}
	return r.parameter1()
}

// parameters reads a struct that is written as a parameter list: its members
// in any order, each at most once.
func (p *plan) parameters(t *Type, to sink) error {
	done := len(p.seen)
	p.seen = append(p.seen, make([]bool, len(t.Members))...)
	err := p.eachParameter(func(id uint32) error {
		i, known := p.ids[t][id]
		if !known {
			return nil
		}
		if p.seen[done+i] {
			return fmt.Errorf("member %s is there twice", t.Members[i].Name)
		}
		p.seen[done+i] = true
		return to.present(p, i)
	})
	if err != nil {
		return err
	}
	for i := range t.Members {
		if !p.seen[done+i] {
			to.absent(p, i)
		}
	}
	p.seen = p.seen[:done]
	return nil
}

// unionParameters reads a mutable union: a parameter list of the discriminator
// and the member, in this order.
func (p *plan) unionParameters(t *Type, to sink) error {
	next, picked := 0, none
	err := p.eachParameter(func(uint32) (err error) {
		switch next++; next {
		case 1:
			picked, err = p.pick(t, to)
		case 2:
			if picked != none {
				err = to.present(p, picked+1)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if next == 0 {
		to.absent(p, 0)
	}
	for i := range t.Members {
		if next < 2 || i != picked {
			to.absent(p, i+1)
		}
	}
	return nil
}

// eachParameter calls visit for each parameter of a list, with the reader
// narrowed to it, and leaves the reader behind the list.
func (p *plan) eachParameter(visit func(id uint32) error) error {
	var list window
	if p.v2 {
		var err error
		if list, err = p.dheader(); err != nil {
			return err
		}
	}
	for !p.v2 || p.left() > 0 {
		h, err := p.parameter()
		if err != nil {
			return err
		}
		if h.end {
			return nil
		}
		outer, err := p.narrow(h.size, !p.v2)
		if err != nil {
			return err
		}
		if h.id != pidIgnore || p.v2 {
			if err := visit(h.id); err != nil {
				return err
			}
		}
		p.widen(outer)
	}
	p.widen(list)
	return nil
}

// isParameterList reports whether the rest of the message is a parameter list
// that has members of t. It moves the reader.
func (p *plan) isParameterList(t *Type) bool {
	if p.v2 && !p.headed() {
		return false
	}
	members := 0
	err := p.eachParameter(func(id uint32) error {
		if _, known := p.ids[t][id]; known {
			members++
		}
		return nil
	})
	return err == nil && members > 0 && p.left() <= maxPadding
}

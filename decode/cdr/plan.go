package cdr

import (
	"errors"
	"fmt"

	"tapedeck/decode"
)

// plan decodes messages by a program.
type plan struct {
	*program
	reader
	batch   *decode.Batch    // to which vectors belong
	vectors []*decode.Vector // one a slot
	budget  int              // values that the message may still become
	depth   int              // of JSON text
	text    []byte           // scratch of one value
	object  []byte           // scratch of JSON text
	seen    []bool           // scratch of parameters
	unsaid  Extensibility    // of types that don't say, in the message at hand

	doubtful bool // headers of members in the message have ids that are not theirs
}

// Columns implements decode.Plan.
func (p *plan) Columns() []decode.Column { return p.columns }

// Fork implements decode.Plan.
func (p *plan) Fork() decode.Plan { return &plan{program: p.program} }

// Decode implements decode.Plan.
func (p *plan) Decode(msg []byte, b *decode.Batch) error {
	p.bind(b)
	err := p.message(msg, reading{})
	if err != nil || !p.fits() {
		err = p.reread(msg, err)
	}
	if err == nil {
		b.CloseRow()
	}
	return err
}

func (p *plan) bind(b *decode.Batch) {
	if p.batch == b {
		return
	}
	p.batch, p.vectors = b, make([]*decode.Vector, len(p.slots))
	for i, s := range p.slots {
		switch s.of {
		case ofBatch:
			p.vectors[i] = b.Column(s.index)
		case ofList:
			p.vectors[i] = p.vectors[s.from].Elem()
		case ofStruct:
			p.vectors[i] = p.vectors[s.from].Field(s.index)
		}
	}
}

// message reads one message.
func (p *plan) message(msg []byte, as reading) error {
	p.budget, p.depth, p.seen, p.doubtful = budgetBase+budgetPerByte*len(msg), 0, p.seen[:0], false
	if p.format == ROS1 {
		p.openPacked(msg)
		return p.sequential(p.root.typ, &p.root)
	}
	form, err := p.open(msg)
	if err != nil {
		return err
	}
	p.reading = as
	return p.rootMembers(form)
}

// rootMembers reads the root as the message's header says it is written. The
// header counts for more than the type: definitions seldom say how extensible
// their types are, and writers that know plain CDR only write every type so.
// Where neither says it of the types inside, they are as the root is.
func (p *plan) rootMembers(f form) error {
	t, start := p.root.typ, p.reader
	bare := t.Extensibility == Unsaid && f == plain
	if p.unsaid = Appendable; bare != p.contrary {
		p.unsaid = Final
	}
	switch {
	case f == delimited && (p.form(t) == delimited || p.headed()):
		return p.delimited(t, &p.root)
	case f == parameters && t.Extensibility == Mutable:
		return p.parameters(t, &p.root)
	case f == parameters:
		isList := p.isParameterList(t)
		p.reader = start
		if isList {
			return p.parameters(t, &p.root)
		}
	}
	return p.sequential(t, &p.root)
}

// headed reports whether the next four bytes are a DHEADER of the whole message.
func (p *plan) headed() bool {
	r := p.reader
	n, err := r.uint32()
	return err == nil && int(n) == r.left()-r.padding
}

// How many values a message may become. Nearly every value takes a byte at
// least; the rest is for unions, members that are left out and elements that
// take no bytes at all, of which a few bytes could ask for billions.
const (
	budgetBase    = 4096
	budgetPerByte = 64
)

var errTooManyValues = errors.New("its few bytes ask for too many values")

// charge takes n values of the given weight from the budget.
func (p *plan) charge(n, weight int) error {
	if weight > 0 && n > p.budget/weight {
		return fmt.Errorf("%w: %d elements", errTooManyValues, n)
	}
	p.budget -= n * weight
	return nil
}

// run does steps.
func (p *plan) run(steps []step) error {
	for i := range steps {
		if err := p.do(&steps[i]); err != nil {
			if name := steps[i].name; name != "" {
				return fmt.Errorf("%s: %w", name, err)
			}
			return err
		}
	}
	return nil
}

func (p *plan) do(s *step) error {
	if s.slot < 0 {
		return p.doMembers(s)
	}
	v := p.vectors[s.slot]
	switch s.op {
	case op64:
		b := p.unit(8)
		if b == nil {
			return p.missing(8)
		}
		v.Append64(p.order64(b))
	case op32:
		b := p.unit(4)
		if b == nil {
			return p.missing(4)
		}
		v.Append32(p.order32(b))
	case op16:
		b := p.unit(2)
		if b == nil {
			return p.missing(2)
		}
		v.Append16(p.order16(b))
	case op8, opBool:
		b := p.unit(1)
		if b == nil {
			return p.missing(1)
		}
		if s.op == op8 {
			v.Append8(b[0])
		} else {
			v.AppendBool(b[0] != 0)
		}
	case opNumbers:
		return p.numbers(s, v)
	case opBlob:
		return p.blob(s, v)
	case opList:
		return p.list(s, v)
	case opRecord:
		if err := p.run(s.inner); err != nil {
			return err
		}
		v.CloseStruct()
	case opTime, opDuration:
		ns, err := p.nanoseconds(s.typ.Kind)
		if err != nil {
			return err
		}
		v.Append64(uint64(ns))
	case opLongDouble:
		x, err := p.longDouble()
		if err != nil {
			return err
		}
		v.AppendFloat64(x)
	default:
		return p.appendText(s, v)
	}
	return nil
}

// appendText appends a value that is held as text.
func (p *plan) appendText(s *step, v *decode.Vector) error {
	var text []byte
	var err error
	switch s.op {
	case opString:
		text, err = p.string()
	case opEnum:
		text, err = p.enum(s)
	case opJSON:
		p.object, err = p.json(p.object[:0], s.typ)
		text = p.object
	default:
		text, err = p.characters(s.typ.Kind)
	}
	if err == nil {
		v.AppendBytes(text)
	}
	return err
}

func (p *plan) doMembers(s *step) error {
	switch s.op {
	case opDummy:
		p.bytes(1)
		return nil
	case opOptional:
		return p.optional(s, 0, s.id)
	case opUnion:
		return p.union(s.typ, s)
	}
	return p.members(s.typ, s)
}

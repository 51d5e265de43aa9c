package jsonmsg

import (
	"tapedeck/decode"
)

// New returns the decoder of message encoding "json".
func New() decode.Decoder { return decoder{} }

type decoder struct{}

func (decoder) Name() string { return "JsonDecoder" }

// Claims reports whether messages are JSON; which encoding their schema has
// does not matter, since they can be read without it.
func (decoder) Claims(messageEncoding, _ string) bool { return messageEncoding == "json" }

// Compile makes a plan, which is a [decode.Inferrer]. It gives no error: when
// the schema can't be used the columns come from the messages alone, and a
// warning says why.
func (decoder) Compile(schema decode.Schema, opt decode.Options) (decode.Plan, error) {
	p := &plan{opt: opt, tree: newTree()}
	if reason := p.tree.declare(schema); reason != "" {
		p.notes = append(p.notes, "the columns come from the messages alone: "+reason)
	}
	p.settled = p.tree.settled()
	return p, nil
}

// plan is a reader and what it was made from. The reader is made when it is
// asked for, so that observing many messages does not make many.
type plan struct {
	opt     decode.Options
	notes   []string // about the schema
	settled bool
	tree    *tree
	reader  *reader // nil before the first use
}

// Observe implements [decode.Inferrer].
func (p *plan) Observe(msg []byte) error {
	if err := validate(msg); err != nil {
		return err
	}
	p.tree.observe(msg)
	return nil
}

// Settled implements [decode.Inferrer].
func (p *plan) Settled() bool { return p.settled }

// Columns implements [decode.Plan].
func (p *plan) Columns() []decode.Column { return p.current().columns }

// Decode implements [decode.Plan].
func (p *plan) Decode(msg []byte, b *decode.Batch) error { return p.current().Decode(msg, b) }

// Fork implements [decode.Plan]. What is observed later does not change the
// columns of a fork.
func (p *plan) Fork() decode.Plan { return p.current().Fork() }

func (p *plan) current() *reader {
	if p.reader == nil || p.tree.changed {
		p.reader, p.tree.changed = newReader(p.tree, p.opt), false
	}
	return p.reader
}

package idl

import (
	"fmt"

	"tapedeck/decode/cdr"
)

// union gives a union its discriminator and its members. Ids of members begin
// behind 0, which is the discriminator's.
func (b *builder) union(d *decl, body unionBody) error {
	t := b.types[d]
	var err error
	if t.Discriminator, err = b.of(body.discriminator); err != nil {
		return err
	}
	ids := idRule{next: 1}
	if err := ids.of(d); err != nil {
		return err
	}
	taken := map[int64]bool{}
	for _, c := range body.cases {
		m, err := b.member(c.member, &ids)
		if err != nil {
			return err
		}
		m.Default, m.Optional = c.other, false // a discriminator already says what is there
		for _, label := range c.labels {
			v, err := b.label(label, t.Discriminator)
			if err != nil {
				return fmt.Errorf("member %s: %w", m.Name, err)
			}
			if taken[v] {
				return errorAt(label.line, "the label of member %s, %d, is that of another member too", m.Name, v)
			}
			taken[v] = true
			m.Cases = append(m.Cases, v)
		}
		t.Members = append(t.Members, m)
	}
	return nil
}

// label returns the discriminator's value that a label means. The enumerators
// of the discriminator come before all other names.
func (b *builder) label(e *expr, discriminator *cdr.Type) (int64, error) {
	if e.name != nil {
		if v, known := b.labels[discriminator][lastPart(e.name.name)]; known {
			return v, nil
		}
	}
	return b.integer(e)
}

package idl

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// structure gives a struct its members, those of its bases first.
func (b *builder) structure(d *decl) error {
	line, err := b.ancestry(d)
	if err != nil {
		return err
	}
	t := b.types[d]
	ids := idRule{}
	for _, s := range line {
		if err := ids.of(s); err != nil {
			return err
		}
		for _, m := range s.body.(structBody).members {
			made, err := b.member(m, &ids)
			if err != nil {
				return err
			}
			t.Members = append(t.Members, made)
		}
	}
	b.addConstants(d, t)
	return nil
}

// ancestry returns d behind the structs that it inherits from, the first first.
func (b *builder) ancestry(d *decl) ([]*decl, error) {
	var line []*decl
	for {
		line = append([]*decl{d}, line...)
		body := d.body.(structBody)
		if body.base == nil {
			return line, nil
		}
		if len(line) > maxNesting {
			return nil, errorAt(d.line, "%s inherits from itself or from more than %d structs", d.path(), maxNesting)
		}
		base, err := b.structNamed(*body.base)
		if err != nil {
			return nil, err
		}
		d = base
	}
}

// structNamed returns a struct by its name or that of a typedef of it.
func (b *builder) structNamed(r ref) (*decl, error) {
	for range maxNesting {
		d, err := b.lookup(r)
		if err != nil {
			return nil, err
		}
		switch body := d.body.(type) {
		case structBody:
			return d, nil
		case typedefBody:
			if body.spec.form == namedForm && len(body.dims) == 0 {
				r = body.spec.name
				continue
			}
		}
		break
	}
	return nil, errorAt(r.line, "expected a struct to inherit from, found %s", decode.Shorten(r.name, 80))
}

// member returns a member with its type, id and description.
func (b *builder) member(m member, ids *idRule) (cdr.Member, error) {
	if b.members++; b.members > maxMembers {
		return cdr.Member{}, fmt.Errorf("the types of a message have more than %d members", maxMembers)
	}
	t, err := b.array(m.spec, m.dims)
	if err != nil {
		return cdr.Member{}, fmt.Errorf("member %s: %w", m.name, err)
	}
	made := cdr.Member{Name: m.name, Type: t, Description: b.describe(m.notes, t)}
	if made.Optional, err = b.isOptional(m.notes); err != nil {
		return made, err
	}
	made.ID, err = b.id(m, ids)
	return made, err
}

// isOptional reads @optional, @optional(TRUE) and @optional(FALSE).
func (b *builder) isOptional(n notes) (bool, error) {
	a := n.find("optional")
	if a == nil || len(a.values) == 0 {
		return a != nil, nil
	}
	v, err := b.integer(a.values[0])
	return v != 0, err
}

// idRule gives members their ids (DDS-XTypes 1.3, 7.3.1.2.1.1).
type idRule struct {
	hash bool   // @autoid(HASH)
	next uint32 // one more than the id of the member before
}

const idMask = 0x0fffffff // ids have 28 bits

// of takes up what a struct or union says of its ids.
func (r *idRule) of(d *decl) error {
	r.hash = false
	a := d.notes.find("autoid")
	if a == nil {
		return nil
	}
	word := a.word()
	if len(a.values) > 0 && word != "hash" && word != "sequential" {
		return errorAt(a.line, "expected @autoid(SEQUENTIAL) or @autoid(HASH), found %q", word)
	}
	r.hash = word != "sequential"
	return nil
}

func (b *builder) id(m member, r *idRule) (uint32, error) {
	id := r.next
	a, hashed := m.notes.find("id"), m.notes.find("hashid")
	switch {
	case a != nil && len(a.values) > 0:
		n, err := b.integer(a.values[0])
		if err != nil {
			return 0, err
		}
		if n < 0 || n > idMask {
			return 0, errorAt(a.line, "expected a member id from 0 to %d, found %d", idMask, n)
		}
		id = uint32(n)
	case hashed != nil:
		id = hashID(cmp.Or(hashed.literal(), m.name))
	case r.hash:
		id = hashID(m.name)
	}
	r.next = id + 1
	return id, nil
}

func hashID(name string) uint32 {
	sum := md5.Sum([]byte(name))
	return binary.LittleEndian.Uint32(sum[:]) & idMask
}

// extensibilityOf reads @final, @appendable, @mutable and @extensibility, also
// in the older spelling APPENDABLE_EXTENSIBILITY.
func (b *builder) extensibilityOf(d *decl) (cdr.Extensibility, error) {
	e := b.extensibility
	for _, a := range d.notes.applied {
		word := a.name
		if word == "extensibility" {
			word = strings.TrimSuffix(a.word(), "_extensibility")
		}
		said, known := extensibilities[word]
		switch {
		case known:
			e = said
		case a.name == "extensibility":
			return e, errorAt(a.line, "expected @extensibility(FINAL), (APPENDABLE) or (MUTABLE), found %q", word)
		}
	}
	return e, nil
}

var extensibilities = map[string]cdr.Extensibility{
	"final": cdr.Final, "appendable": cdr.Appendable, "mutable": cdr.Mutable,
	"extensible": cdr.Appendable, // before DDS-XTypes 1.2
}

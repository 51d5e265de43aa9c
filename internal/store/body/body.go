// Package body keeps the bodies of raw records by content: each once, however
// often it comes, and long ones in pieces, so that a body which repeats an
// earlier one with a little more costs about that little.
//
// # How
//
// A short body is one piece. A long one is cut where its content says so: equal
// stretches give equal pieces wherever they stand. The list of a long body's
// pieces is cut the same way into lists, and the list of these, up to a root; so
// the lists of a history that grew by a little are mostly the same pieces too. A
// piece is named by a hash of its content, a root by that of the whole body. How
// many references there are to a piece is counted: what none is left to is gone.
//
// # What it does not
//
// It knows no database. [Keep], [Drop] and [Read] walk the pieces; stores bring
// the functions that put, release and fetch some of them at a time.
//
// # What it promises
//
// Bodies come back exactly. The same bodies give the same pieces, whatever was
// kept before. What was damaged is told as [ErrDamaged], never given as a body.
package body

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrDamaged is returned for a body that does not come back as it was kept.
var ErrDamaged = errors.New("the body is damaged")

// Whole is the size up to which a body is one piece, and the largest piece of a
// longer one, in bytes.
const Whole = 4 << 10

// A Sum is the SHA-256 of a whole body.
type Sum = [sha256.Size]byte

// An ID names a piece. The first half of a SHA-256 is enough to tell pieces
// apart, and halves what lists take.
type ID [16]byte

// Root is the ID of the root of the body with this hash.
func Root(sum Sum) ID { return ID(sum[:len(ID{})]) }

// A Piece is what is kept of a body: a part of its content, or a list of pieces.
type Piece struct {
	ID       ID
	content  []byte   // of the body itself, not a copy
	children []*Piece // of a list
}

// Cut is the root of a body that has this hash. It refers to the content, which
// must not change while the piece is used.
func Cut(content []byte, sum Sum) *Piece {
	root := &Piece{ID: Root(sum)}
	if len(content) <= Whole {
		root.content = content
		return root
	}
	level := chunks(content)
	for height := byte(1); len(level) > rootMost; height++ {
		level = lists(level, height)
	}
	root.children = level
	return root
}

// chunks are the parts of the content, in order.
func chunks(content []byte) []*Piece {
	pieces := make([]*Piece, 0, len(content)/average+1)
	for len(content) > 0 {
		n := boundary(content)
		pieces = append(pieces, &Piece{ID: idOf(content[:n], 0), content: content[:n:n]})
		content = content[n:]
	}
	return pieces
}

// lists are the lists, at this height above the content, of which each holds
// some of the pieces.
func lists(pieces []*Piece, height byte) []*Piece {
	above := make([]*Piece, 0, len(pieces)/fewest+1)
	for len(pieces) > 0 {
		n := listBoundary(pieces)
		list := &Piece{children: pieces[:n:n]}
		list.ID = idOf(list.ids(nil), height)
		above = append(above, list)
		pieces = pieces[n:]
	}
	return above
}

// idOf is the ID of a piece. The height above the content is part of it: a body
// that happens to hold a list is no list.
func idOf(content []byte, height byte) ID {
	sum := sha256.Sum256(content)
	id := ID(sum[:len(ID{})])
	id[0] ^= height
	return id
}

// ids appends the IDs of a list's pieces.
func (p *Piece) ids(to []byte) []byte {
	for _, child := range p.children {
		to = append(to, child.ID[:]...)
	}
	return to
}

// Verify reports, as an ErrDamaged, that a body is not the one with this hash.
func Verify(content []byte, sum Sum) error {
	if sha256.Sum256(content) != sum {
		return fmt.Errorf("%w: its hash is not %x", ErrDamaged, sum)
	}
	return nil
}

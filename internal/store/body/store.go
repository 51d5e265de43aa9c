package body

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The forms in which a piece is stored are told by its first byte.
const (
	formPlain  = 0 // content
	formPacked = 1 // content, compressed
	formList   = 2 // IDs
)

// worthIt is the part of its size that compressing must take off a piece.
const worthIt = 16

var (
	packers = sync.Pool{New: func() any {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(Whole), zstd.WithEncoderCRC(false)))
	}}
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(Whole)))
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Encode appends the form in which the piece is stored.
func (p *Piece) Encode(to []byte) []byte {
	if p.children != nil {
		return p.ids(append(to, formList))
	}
	start := len(to)
	packer := packers.Get().(*zstd.Encoder)
	to = packer.EncodeAll(p.content, append(to, formPacked))
	packers.Put(packer)
	if len(to)-start-1 > len(p.content)-len(p.content)/worthIt {
		to = append(append(to[:start], formPlain), p.content...)
	}
	return to
}

// A Want is a piece that is to be kept, and how many more references to it there
// are.
type Want struct {
	Piece *Piece
	Refs  int64
	Fresh bool // set by put: the piece was not there
}

// Keep keeps bodies: each root given is one more reference to it. put adds the
// references to the pieces that are there, stores the others with them, and tells
// which were fresh. It is called with pieces of different IDs, first with the
// roots, then with what the fresh ones refer to.
func Keep(roots []*Piece, put func([]Want) error) error {
	for wants := counted(roots); len(wants) > 0; {
		if err := put(wants); err != nil {
			return err
		}
		var next []*Piece
		for _, w := range wants {
			if w.Fresh {
				next = append(next, w.Piece.children...)
			}
		}
		wants = counted(next)
	}
	return nil
}

// counted are the different pieces in the order of their first reference.
func counted(pieces []*Piece) []Want {
	index := make(map[ID]int, len(pieces))
	wants := make([]Want, 0, len(pieces))
	for _, p := range pieces {
		i, ok := index[p.ID]
		if !ok {
			i = len(wants)
			index[p.ID] = i
			wants = append(wants, Want{Piece: p})
		}
		wants[i].Refs++
	}
	return wants
}

// A Release is a piece that has some references less.
type Release struct {
	ID   ID
	Refs int64
}

// Drop takes one reference from each root given. release takes the references
// away, removes the pieces that none is left to, and returns the stored forms of
// those. It is called with different IDs.
func Drop(roots []ID, release func([]Release) (gone [][]byte, err error)) error {
	for len(roots) > 0 {
		index := make(map[ID]int, len(roots))
		var less []Release
		for _, id := range roots {
			i, ok := index[id]
			if !ok {
				i = len(less)
				index[id] = i
				less = append(less, Release{ID: id})
			}
			less[i].Refs++
		}
		gone, err := release(less)
		if err != nil {
			return err
		}
		roots = roots[:0:0]
		for _, stored := range gone {
			roots = append(roots, References(stored)...)
		}
	}
	return nil
}

// References are what a stored piece refers to, none if it is content.
func References(stored []byte) []ID {
	if len(stored) == 0 || stored[0] != formList {
		return nil
	}
	ids := make([]ID, 0, len(stored)/len(ID{}))
	for rest := stored[1:]; len(rest) >= len(ID{}); rest = rest[len(ID{}):] {
		ids = append(ids, ID(rest[:len(ID{})]))
	}
	return ids
}

package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/search/document"
	"tapedeck/internal/store"
)

// minPiece is the shortest piece that is halved when it is too long for the model.
const minPiece = 64

// A round embeds a page of texts, in batches of their chunks.
type round struct {
	*Service
	generation store.Generation
	until      time.Time // then no further text is begun

	mu      sync.Mutex
	pieces  []piece             // that are still to be embedded, those of a text side by side
	begun   *wholeText          // the text of the last piece that was taken
	full    []store.HashVectors // texts that have all their vectors, to be stored
	done    int                 // texts that were stored or set aside
	failure error
}

// A wholeText gathers the vectors of a text.
type wholeText struct {
	hash   string
	chunks []store.ChunkVector
	left   int  // pieces without a vector
	aside  bool // set aside: its other pieces are not needed
}

// A piece is a chunk of a text, or a part of one.
type piece struct {
	of    *wholeText
	start int
	text  string
}

func newRound(s *Service, generation store.Generation, texts []store.HashedText) *round {
	r := &round{Service: s, generation: generation, until: time.Now().Add(roundTime)}
	for _, t := range texts {
		whole := &wholeText{hash: t.Hash}
		for _, chunk := range document.Chunks(t.Text, s.embedder.Window()) {
			if strings.ContainsFunc(chunk.Text, isWordRune) {
				r.pieces = append(r.pieces, piece{whole, chunk.Start, chunk.Text})
				whole.left++
			}
		}
		if whole.left == 0 { // there is nothing to embed
			r.full = append(r.full, store.HashVectors{Hash: t.Hash})
		}
	}
	return r
}

// run embeds and stores until the round is over. It returns how many texts were
// done.
func (r *round) run(ctx context.Context) (int, error) {
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	r.put(ctx)
	return r.done, r.failure
}

func (r *round) work(ctx context.Context) {
	for {
		batch := r.next()
		if len(batch) == 0 {
			return
		}
		if err := r.embed(ctx, batch); err != nil {
			r.fail(embedderError{err})
			return
		}
		r.put(ctx)
	}
}

func (r *round) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
}

// next takes the next batch. When the round is to end, texts that were begun are
// finished: else a long one never would be.
func (r *round) next() []piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return nil
	}
	n := min(r.size(), len(r.pieces))
	if r.begun != nil && (r.filler.changed.Load() || time.Now().After(r.until)) {
		rest := 0
		for rest < n && r.pieces[rest].of == r.begun {
			rest++
		}
		n = rest
	}
	batch := r.pieces[:n:n]
	r.pieces = r.pieces[n:]
	if n > 0 {
		r.begun = batch[n-1].of
	}
	return batch
}

// size is how many texts the embedder is asked for at once.
func (r *round) size() int {
	best := max(1, r.embedder.Batch())
	if slow := int(r.filler.batch.Load()); slow > 0 {
		return min(slow, best)
	}
	return best
}

// A group is asked for in one call.
type group struct {
	pieces []piece
	again  bool // the call failed once in a way that may have been passing
}

// embed gets the vectors of a batch. Where it fails because of some of the texts,
// these are found, by halves if need be, and cut or set aside. An error is about
// all.
func (r *round) embed(ctx context.Context, batch []piece) error {
	groups := []group{{pieces: batch}}
	for len(groups) > 0 {
		g := groups[len(groups)-1]
		groups = groups[:len(groups)-1]
		if g.pieces = r.needed(g.pieces); len(g.pieces) == 0 {
			continue
		}
		smaller, err := r.try(ctx, g)
		if err != nil {
			return err
		}
		groups = append(groups, smaller...)
	}
	return nil
}

// needed are the pieces whose texts were not set aside.
func (r *round) needed(pieces []piece) []piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	var needed []piece
	for _, p := range pieces {
		if !p.of.aside {
			needed = append(needed, p)
		}
	}
	return needed
}

// try asks for a group. It returns what of it is to be asked for again, in which
// groups; an error is about all texts.
func (r *round) try(ctx context.Context, g group) ([]group, error) {
	texts := make([]string, len(g.pieces))
	for i, p := range g.pieces {
		texts[i] = p.text
	}
	vectors, err := r.ask(ctx, embed.ForDocument, texts)
	if err == nil {
		r.take(g.pieces, vectors)
		r.faster(len(texts))
		return nil, r.noted(ctx, nil)
	}
	if bad := aboutOne(err); bad >= 0 && bad < len(g.pieces) {
		return r.without(ctx, g, bad, err)
	}
	return r.smaller(ctx, g, err)
}

// take keeps the vectors of pieces.
func (r *round) take(pieces []piece, vectors [][]float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, p := range pieces {
		p.of.chunks = append(p.of.chunks, store.ChunkVector{Start: p.start, End: p.start + len(p.text), Vector: vectors[i]})
		if p.of.left--; p.of.left == 0 && !p.of.aside {
			slices.SortFunc(p.of.chunks, func(a, b store.ChunkVector) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
			r.full = append(r.full, store.HashVectors{Hash: p.of.hash, Chunks: p.of.chunks})
		}
	}
}

// aboutOne is the index of the text that an error is about, -1 when it does not
// say so.
func aboutOne(err error) int {
	if long, ok := errors.AsType[*embed.TooLongError](err); ok {
		return long.Text
	}
	if bad, ok := errors.AsType[*embed.TextError](err); ok {
		return bad.Text
	}
	return -1
}

// without goes on without a piece that the embedder does not take, or with its
// halves where it is too long.
func (r *round) without(ctx context.Context, g group, bad int, reason error) ([]group, error) {
	p := g.pieces[bad]
	rest := append(g.pieces[:bad:bad], g.pieces[bad+1:]...)
	if errors.Is(reason, embed.ErrTooLong) && len(p.text) > minPiece {
		return []group{{pieces: rest}, {pieces: r.halves(p)}}, nil
	}
	return []group{{pieces: rest}}, r.leaveOut(ctx, p, reason)
}

// halves cuts a piece in two or three.
func (r *round) halves(p piece) []piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	var parts []piece
	for _, chunk := range document.Chunks(p.text, len(p.text)/2+1) {
		parts = append(parts, piece{p.of, p.start + chunk.Start, chunk.Text})
	}
	p.of.left += len(parts) - 1
	return parts
}

// leaveOut sets a piece's text aside.
func (r *round) leaveOut(ctx context.Context, p piece, reason error) error {
	r.mu.Lock()
	known := p.of.aside
	p.of.aside = true
	if !known {
		r.done++
	}
	r.mu.Unlock()
	if known {
		return nil
	}
	if err := r.setAside(p.of.hash, reason); err != nil {
		return r.noted(ctx, err)
	}
	return nil
}

// smaller is what to do when an error does not say which text it is about: is it
// about all, then a cheap text fails as well.
func (r *round) smaller(ctx context.Context, g group, reason error) ([]group, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if isGeneral(reason) {
		return nil, r.noted(ctx, reason)
	}
	if !errors.Is(reason, embed.ErrTooLong) {
		if err := r.probe(ctx); err != nil {
			return nil, err
		}
	}
	switch n := len(g.pieces); {
	case isPassing(reason) && !g.again:
		return []group{{pieces: g.pieces, again: true}}, nil
	case n == 1:
		return r.without(ctx, g, 0, reason)
	default:
		if isPassing(reason) {
			r.slower(n)
		}
		return []group{{pieces: g.pieces[n/2:]}, {pieces: g.pieces[:n/2]}}, nil
	}
}

// slower and faster keep the batches so small that the embedder answers in time.
func (r *round) slower(n int) { r.filler.batch.Store(int64(max(1, n/2))) }

func (r *round) faster(n int) {
	if slow := r.filler.batch.Load(); slow > 0 && int64(n) >= slow {
		r.filler.batch.CompareAndSwap(slow, min(2*slow, int64(max(1, r.embedder.Batch()))))
	}
}

// put stores the texts that have all their vectors.
func (r *round) put(ctx context.Context) {
	r.mu.Lock()
	full := r.full
	r.full = nil
	r.mu.Unlock()
	if len(full) == 0 {
		return
	}
	if err := r.vectors.PutVectors(ctx, r.generation.ID, full); err != nil {
		r.fail(err)
		return
	}
	r.embedded(full)
	r.mu.Lock()
	r.done += len(full)
	r.mu.Unlock()
}

package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tapedeck/internal/store"
)

const (
	// attempts is how often a search is begun anew because what it found in memory
	// went in the meantime.
	attempts = 3
	// margin is how many more texts are found roughly than are wanted: their order is
	// a little off. Measured, 16 are as good as 2,000.
	margin = 64
)

// SearchVectors finds the documents that have the chunks nearest to a vector. It
// compares all vectors of documents that are chosen, roughly in memory, and those
// that are nearest once more as they are stored.
func (s *Store) SearchVectors(ctx context.Context, generation int64, vector []float32, f store.IndexFilter, limit int) ([]store.IndexHit, error) {
	vs := vectorSearch{catalog: &s.catalog, generation: generation, vector: vector, filter: f, limit: limit}
	hits := []store.IndexHit{}
	for attempt, whole := 0, false; attempt < attempts && !whole; attempt++ {
		err := s.read(ctx, func(c *conn) (err error) {
			hits, whole, err = vs.run(c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

type vectorSearch struct {
	catalog    *catalog
	generation int64
	vector     []float32
	filter     store.IndexFilter
	limit      int
}

// nearText is a text that was found in memory, with its documents that are chosen.
type nearText struct {
	near
	documents []int64
}

// run searches. The hits are not whole if something was found in memory that the
// connection does not see.
func (vs *vectorSearch) run(c *conn) (hits []store.IndexHit, whole bool, err error) {
	width, err := c.width(vs.generation)
	if err != nil {
		return nil, false, err
	}
	if len(vs.vector) != width {
		return nil, false, fmt.Errorf("a vector of width %d can't be looked for among those of width %d", len(vs.vector), width)
	}
	if vs.limit < 1 {
		return []store.IndexHit{}, true, nil
	}
	texts, err := vs.near(c, width)
	if err != nil {
		return nil, false, err
	}
	found, err := vs.measure(c, width, texts)
	if err != nil {
		return nil, false, err
	}
	hits, err = c.hits(found)
	return hits, len(hits) == min(vs.limit, count(texts)), err
}

// count is how many documents texts have.
func count(texts []nearText) (n int) {
	for _, t := range texts {
		n += len(t.documents)
	}
	return n
}

// near finds texts in memory.
func (vs *vectorSearch) near(c *conn, width int) ([]nearText, error) {
	m, err := vs.catalog.follow(c, vs.generation, width)
	if err != nil {
		return nil, err
	}
	defer vs.catalog.mu.RUnlock()
	choice, err := vs.catalog.choose(vs.filter)
	if err != nil {
		return nil, err
	}
	var texts []nearText
	for _, n := range m.nearest(vs.vector, choice.texts(), vs.limit+margin) {
		texts = append(texts, nearText{n, choice.of(n.slot)})
	}
	return texts, nil
}

// measure finds the nearest documents by what is stored of the texts' vectors.
func (vs *vectorSearch) measure(c *conn, width int, texts []nearText) ([]foundDocument, error) {
	var found []foundDocument
	for _, t := range texts {
		best := foundDocument{score: math.Inf(-1)}
		err := c.each("SELECT data FROM vector WHERE id = ?", []any{t.id}, func(r *row) error {
			return eachChunk(r.blob(), width, func(chunk packedChunk) {
				if score := chunk.product(vs.vector); score > best.score {
					best.score, best.start, best.end = score, chunk.start, chunk.end
				}
			})
		})
		if err != nil {
			return nil, err
		}
		if math.IsInf(best.score, 0) {
			continue // gone in the meantime
		}
		for _, id := range t.documents {
			best.id = id
			found = append(found, best)
		}
	}
	slices.SortFunc(found, func(a, b foundDocument) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return found[:min(len(found), vs.limit)], nil
}

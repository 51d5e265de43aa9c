package sqlite

import (
	"context"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Siblings are the streams that share origins with one.
func (s *Store) Siblings(ctx context.Context, ref session.Ref) ([]store.Sibling, error) {
	siblings := []store.Sibling{}
	err := s.read(ctx, func(c *conn) error {
		ch := newChanges(c)
		st, err := ch.find(ref)
		if st == nil || err != nil {
			return err
		}
		others, err := ch.siblings(st)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			return nil
		}
		own, err := c.held(st.id)
		if err != nil {
			return err
		}
		slices.SortFunc(others, func(a, b *streamState) int { return compareRefs(a.ref, b.ref) })
		for _, other := range others {
			b, err := c.sibling(own, other.id)
			if err != nil {
				return err
			}
			if len(b.Shared) > 0 { // hashes can be equal where origins are not
				siblings = append(siblings, b)
			}
		}
		return nil
	})
	return siblings, err
}

// held are a stream's records by origin; those without one at "".
type held map[string][]int64

func (c *conn) held(stream int64) (held, error) {
	h := held{}
	return h, c.each("SELECT ord, key, origin FROM record WHERE stream = ?", []any{stream}, func(r *row) error {
		order := r.int()
		origin := r.origin(r.text())
		h[origin] = append(h[origin], order)
		return nil
	})
}

// firstWithout is the least order of what is not shared; 0: none.
func (h held) firstWithout(shared map[string]bool) (first int64) {
	for origin, orders := range h {
		if shared[origin] {
			continue
		}
		for _, order := range orders {
			if order != 0 && (first == 0 || order < first) {
				first = order
			}
		}
	}
	return first
}

// sibling compares what a stream holds with another.
func (c *conn) sibling(own held, other int64) (store.Sibling, error) {
	b := store.Sibling{Shared: map[string]bool{}}
	if _, err := c.one(streamColumns+"WHERE id = ?", []any{other}, func(r *row) { b.Stream = scanStream(r) }); err != nil {
		return b, err
	}
	others, err := c.held(other)
	if err != nil {
		return b, err
	}
	for origin := range others {
		if origin != "" && own[origin] != nil {
			b.Shared[origin] = true
		}
	}
	b.FirstOwn, b.FirstOwnOther = own.firstWithout(b.Shared), others.firstWithout(b.Shared)
	return b, nil
}

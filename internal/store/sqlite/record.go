package sqlite

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store/body"
)

// Records are a stream's records that count. Where they are is read at once, their
// bodies one by one, all in one transaction.
func (s *Store) Records(ctx context.Context, ref session.Ref, from session.Place) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		err := s.read(ctx, func(c *conn) error {
			rows, err := c.effective(ref, from)
			if err != nil {
				return err
			}
			for _, v := range rows {
				if v.Body, err = c.bodyOf(v); err != nil {
					return err
				}
				if !yield(v.Record, nil) {
					return errEnough
				}
				v.Body = nil
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(session.Record{}, fmt.Errorf("records of %v: %w", ref, err))
		}
	}
}

const recordColumns = `SELECT r.id, r.counts, r.version, r.ord, r.pos, r.at, r.size, r.sum, r.key, r.origin, r.about, r.piece FROM record r `

func scanRecord(r *row) *version {
	v := &version{id: r.int(), counts: r.bool()}
	v.Version, v.Order, v.Pos, v.At, v.size = r.int(), r.int(), r.int(), session.Time(r.int()), r.int()
	copy(v.sum[:], r.blob())
	v.Key = r.text()
	v.Origin, v.About = r.origin(v.Key), r.text()
	v.piece = r.int()
	return v
}

func (c *conn) records(where string, args ...any) (list []*version, err error) {
	err = c.each(recordColumns+where, args, func(r *row) error {
		list = append(list, scanRecord(r))
		return nil
	})
	return list, err
}

// effective are a stream's records that count, in their order: its own without
// those about something else, and what all streams tell of its origins.
func (c *conn) effective(ref session.Ref, from session.Place) ([]*version, error) {
	stream, err := c.number("SELECT id FROM stream WHERE harness = ? AND key = ?", ref.Harness, ref.Key)
	if stream == 0 || err != nil {
		return nil, err
	}
	told, err := c.told(stream)
	if err != nil {
		return nil, err
	}
	own, err := c.own(stream, from)
	if err != nil {
		return nil, err
	}
	if own, err = c.mergeTold(stream, own, told); err != nil {
		return nil, err
	}
	own = slices.DeleteFunc(own, func(v *version) bool {
		return v.Order != 0 && from != (session.Place{}) && v.Place().Before(from)
	})
	slices.SortFunc(own, comparePlaces)
	return own, nil
}

// own are a stream's own records that are about nothing, those before a place
// perhaps among them.
func (c *conn) own(stream int64, from session.Place) ([]*version, error) {
	if from == (session.Place{}) {
		return c.records("WHERE r.stream = ? AND r.counts AND r.about_hash IS NULL", stream)
	}
	placeless, err := c.records("WHERE r.stream = ? AND r.ord = 0 AND r.counts AND r.about_hash IS NULL", stream)
	if err != nil {
		return nil, err
	}
	placed, err := c.records("WHERE r.stream = ? AND r.ord >= ? AND r.ord <> 0 AND r.counts AND r.about_hash IS NULL", stream, from.Order)
	return append(placeless, placed...), err
}

// told are the records, of whichever stream, that are about the stream's origins.
// Most stores have few that are about anything; the query goes from those.
func (c *conn) told(stream int64) (list []*version, err error) {
	all, err := c.records(`WHERE r.counts AND r.about_hash IN (SELECT origin_hash FROM record WHERE stream = ?)`, stream)
	for _, v := range all {
		held, err := c.number("SELECT EXISTS (SELECT 1 FROM record WHERE origin_hash = ? AND stream = ? AND iif(origin = '', key, origin) = ?)",
			hash64(v.About), stream, v.About)
		if err != nil {
			return nil, err
		}
		if held != 0 {
			list = append(list, v)
		}
	}
	return list, err
}

// mergeTold adds what is told to a stream's own records; of those with one key one
// counts, wherever it stands.
func (c *conn) mergeTold(stream int64, own, told []*version) ([]*version, error) {
	best := map[string]*version{}
	for _, v := range told {
		if have := best[v.Key]; have == nil || v.outranks(have) || !have.outranks(v) && comparePlaces(v, have) < 0 {
			best[v.Key] = v
		}
	}
	for key, v := range best {
		same, err := c.records("WHERE r.stream = ? AND r.key_hash = ? AND r.key = ? AND r.counts AND r.about_hash IS NULL", stream, hash64(key), key)
		if err != nil {
			return nil, err
		}
		if len(same) > 0 && !v.outranks(same[0]) {
			delete(best, key)
		}
	}
	own = slices.DeleteFunc(own, func(v *version) bool { return best[v.Key] != nil })
	return slices.AppendSeq(own, maps.Values(best)), nil
}

// comparePlaces puts records in the order in which they are read.
func comparePlaces(a, b *version) int {
	switch {
	case a.Order == 0 && b.Order != 0:
		return -1
	case a.Order != 0 && b.Order == 0:
		return 1
	case a.Place().Before(b.Place()):
		return -1
	case b.Place().Before(a.Place()):
		return 1
	}
	return 0
}

// bodyOf reads a record's body.
func (c *conn) bodyOf(v *version) ([]byte, error) {
	var root []byte
	found, err := c.one("SELECT data FROM piece WHERE id = ?", []any{v.piece}, func(r *row) { root = r.blob() })
	if err == nil && !found {
		err = fmt.Errorf("%w: its root is missing", body.ErrDamaged)
	}
	var content []byte
	if err == nil {
		content, err = body.Read(root, v.size, c.fetch)
	}
	if err != nil {
		return nil, fmt.Errorf("record %q: %w", v.Key, err)
	}
	return content, nil
}

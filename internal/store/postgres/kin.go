package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// holders says which streams hold an origin.
type holders map[digest]map[int64]bool

// add notes a holder, and reports whether it is a new one.
func (h holders) add(origin digest, stream int64) bool {
	if h[origin] == nil {
		h[origin] = map[int64]bool{}
	}
	fresh := !h[origin][stream]
	h[origin][stream] = true
	return fresh
}

// selectHolders reads who holds origins.
func selectHolders(ctx context.Context, tx pgx.Tx, origins [][16]byte) (holders, error) {
	h := holders{}
	if len(origins) == 0 {
		return h, nil
	}
	rows, err := tx.Query(ctx, "SELECT DISTINCT origin_id, stream FROM tapedeck.record WHERE origin_id = ANY($1::uuid[])", origins)
	if err != nil {
		return nil, err
	}
	var origin [16]byte
	var stream int64
	_, err = pgx.ForEachRow(rows, []any{&origin, &stream}, func() error {
		h.add(origin, stream)
		return nil
	})
	return h, err
}

// pair are two streams that share origins, as the first sees it.
type pair struct{ stream, other int64 }

// linkSiblings notes for pairs, in both directions, what their first own records
// are, and has both derived again from their start.
func linkSiblings(ctx context.Context, tx pgx.Tx, pairs []pair, c *changes) error {
	var streams, others []int64
	for _, p := range pairs {
		streams, others = append(streams, p.stream, p.other), append(others, p.other, p.stream)
		c.restart(p.stream)
		c.restart(p.other)
	}
	if len(pairs) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO tapedeck.sibling (stream, other, first_own)
		SELECT DISTINCT stream, other, `+firstOwn+` FROM unnest($1::bigint[], $2::bigint[]) AS pair (stream, other)
		ON CONFLICT (stream, other) DO UPDATE SET first_own = excluded.first_own`, streams, others)
	return err
}

// firstOwn is the least ord of a record that only pair.stream holds, not
// pair.other; 0: none.
const firstOwn = `coalesce((SELECT r.ord FROM tapedeck.record r WHERE r.stream = pair.stream AND r.ord <> 0 AND NOT EXISTS (
	SELECT FROM tapedeck.record o WHERE o.origin_id = r.origin_id AND o.stream = pair.other) ORDER BY r.ord LIMIT 1), 0)`

// bringing are the rows that may bring an origin or be a stream's first own.
func (a *appending) bringing() []*row {
	rows := slices.Clone(a.fresh)
	for _, r := range a.changed {
		if r.altered {
			rows = append(rows, r)
		}
	}
	return rows
}

// rememberHolders finds out who holds the origins that the batch brings, or tells
// of, before its rows are inserted.
func (a *appending) rememberHolders() error {
	asked := map[digest]bool{}
	for _, r := range a.bringing() {
		if r.origin != "" {
			asked[digestOf(r.origin)] = true
		}
	}
	for _, r := range a.touched {
		if r.about != "" {
			asked[digestOf(r.about)] = true
		}
	}
	origins := make([][16]byte, 0, len(asked))
	for origin := range asked {
		origins = append(origins, origin)
	}
	var err error
	a.holders, err = selectHolders(a.ctx, a.tx, origins)
	return err
}

// noteTold has those streams derived again that read what the batch brings: the
// rows' own, or the holders of what they are about. A stream that comes to hold
// an origin also reads what others tell of that.
func (a *appending) noteTold() error {
	var origins [][16]byte
	arrived := holders{}
	for _, r := range a.bringing() {
		if r.origin == "" {
			continue
		}
		origin := digestOf(r.origin)
		if a.holders.add(origin, r.stream) {
			arrived.add(origin, r.stream)
			origins = append(origins, origin)
		}
	}
	a.arrived = arrived
	for _, r := range a.touched {
		if r.about == "" {
			a.changes.touch(r.stream, r.place())
			continue
		}
		for stream := range a.holders[digestOf(r.about)] {
			a.changes.touch(stream, r.place())
		}
	}
	if len(origins) == 0 {
		return nil
	}
	told, err := selectRows(a.ctx, a.tx, "WHERE counts AND about_id = ANY($1::uuid[])", origins)
	for _, r := range told {
		for stream := range arrived[digestOf(r.about)] {
			a.changes.touch(stream, r.place())
		}
	}
	return err
}

// noteSiblings keeps the pairs of streams that share origins. Whose copies the
// shared records are may depend on each first own record, so when one changes
// both are derived again.
func (a *appending) noteSiblings() error {
	shared := map[pair]bool{}
	for origin, streams := range a.arrived {
		for stream := range streams {
			for other := range a.holders[origin] {
				if stream != other {
					shared[pair{min(stream, other), max(stream, other)}] = true
				}
			}
		}
	}
	var streams []int64
	candidates := map[int64][]*row{} // rows that may be a stream's first own
	for _, r := range a.bringing() {
		if candidates[r.stream] == nil {
			streams = append(streams, r.stream)
		}
		candidates[r.stream] = append(candidates[r.stream], r)
	}
	firsts, err := selectFirstOwn(a.ctx, a.tx, streams)
	if err != nil {
		return err
	}
	for p, first := range firsts {
		if slices.ContainsFunc(candidates[p.stream], func(r *row) bool { return a.comesFirst(r, p.other, first) }) {
			shared[pair{min(p.stream, p.other), max(p.stream, p.other)}] = true
		}
	}
	pairs := make([]pair, 0, len(shared))
	for p := range shared {
		pairs = append(pairs, p)
	}
	return linkSiblings(a.ctx, a.tx, pairs, a.changes)
}

// comesFirst reports whether a row changes a stream's first own record beside
// another stream.
func (a *appending) comesFirst(r *row, other, first int64) bool {
	if r.origin != "" && a.holders[digestOf(r.origin)][other] {
		return false
	}
	return r.altered || r.order != 0 && (first == 0 || r.order < first)
}

// selectFirstOwn reads the first own records of streams beside their siblings.
func selectFirstOwn(ctx context.Context, tx pgx.Tx, streams []int64) (map[pair]int64, error) {
	firsts := map[pair]int64{}
	if len(streams) == 0 {
		return firsts, nil
	}
	rows, err := tx.Query(ctx, "SELECT stream, other, first_own FROM tapedeck.sibling WHERE stream = ANY($1)", streams)
	if err != nil {
		return nil, err
	}
	var p pair
	var first int64
	_, err = pgx.ForEachRow(rows, []any{&p.stream, &p.other, &first}, func() error {
		firsts[p] = first
		return nil
	})
	return firsts, err
}

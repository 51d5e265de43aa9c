package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// A rule is a query that gives a row, where and what, for each violation.
type rule string

// rules are what must hold between tables, beyond what their constraints ensure.
var rules = []rule{
	`SELECT 'record of stream ' || stream || ', key ' || min(encode(key, 'escape')), count(*) FILTER (WHERE counts) || ' of its versions count, not 1'
	FROM tapedeck.record GROUP BY stream, key_id HAVING count(*) FILTER (WHERE counts) <> 1`,

	`SELECT 'stream ' || session_id, 'it has ' || held.keys || ' keys, not ' || records
	FROM tapedeck.stream JOIN LATERAL (SELECT count(DISTINCT key_id) AS keys FROM tapedeck.record WHERE stream = stream.id) held ON true
	WHERE held.keys <> records`,

	`WITH pair (stream, other) AS (
		SELECT DISTINCT a.stream, b.stream FROM tapedeck.record a JOIN tapedeck.record b ON b.origin_id = a.origin_id AND b.stream <> a.stream
	), held AS (SELECT stream, other, ` + firstOwn + ` AS first_own FROM pair)
	SELECT 'streams ' || coalesce(held.stream, noted.stream) || ' and ' || coalesce(held.other, noted.other),
		'that they share origins is noted wrongly'
	FROM held FULL JOIN tapedeck.sibling noted ON noted.stream = held.stream AND noted.other = held.other
	WHERE held.first_own IS DISTINCT FROM noted.first_own`,

	`SELECT 'session ' || id, 'it has ' || held.traces || ' traces, not ' || session.traces
	FROM tapedeck.session JOIN LATERAL (SELECT count(*) AS traces FROM tapedeck.trace WHERE session = session.num) held ON true
	WHERE held.traces <> session.traces`,

	`SELECT 'session ' || min(session_id), 'its traces are not numbered from 0 on'
	FROM tapedeck.trace GROUP BY session HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1`,

	`SELECT 'trace ' || id, 'it has ' || held.spans || ' spans, not ' || span_count
	FROM tapedeck.trace JOIN LATERAL (SELECT count(*) AS spans FROM tapedeck.span WHERE trace = trace.num) held ON true
	WHERE held.spans <> span_count`,

	`SELECT 'session ' || id, 'its days have ' || held.tokens || ' tokens and cost ' || held.cost || ', not ' || session.tokens || ' and ' || session.cost
	FROM tapedeck.session JOIN LATERAL (
		SELECT coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost
		FROM tapedeck.day WHERE session = session.num) held ON true
	WHERE (held.tokens, held.cost) <> (session.tokens, session.cost)`,

	`SELECT 'days of session ' || min(id), 'which rows are the first is noted wrongly'
	FROM tapedeck.day JOIN tapedeck.session ON session.num = day.session
	GROUP BY session.num HAVING count(*) FILTER (WHERE first) <> 1 OR count(*) FILTER (WHERE first_of_day) <> count(DISTINCT day)
		OR count(*) FILTER (WHERE first_of_model) <> count(DISTINCT model)`,

	`SELECT 'session ' || id, 'the kinds of its tokens do not add up to ' || tokens
	FROM tapedeck.session WHERE tokens <> input_tokens + cache_read_tokens + cache_write_tokens + output_tokens`,

	`SELECT 'trace ' || coalesce(trace.id, noted.trace_id), 'whether it is there is noted wrongly for the index'
	FROM tapedeck.trace FULL JOIN (SELECT trace_id FROM tapedeck.trace_change WHERE digest IS NOT NULL) noted ON noted.trace_id = trace.id
	WHERE trace.id IS NULL OR noted.trace_id IS NULL`,

	`SELECT 'document of span ' || span_id, 'trace ' || trace_id || ' has no such span' FROM tapedeck.document d
	WHERE NOT EXISTS (SELECT FROM tapedeck.trace JOIN tapedeck.span ON span.trace = trace.num WHERE trace.id = d.trace_id AND span.span_id = d.span_id)`,

	`SELECT 'text ' || hash, 'no document has it' FROM tapedeck.document_text x WHERE NOT EXISTS (SELECT FROM tapedeck.document WHERE text = x.num)`,

	`SELECT 'word ' || coalesce(counted.lexeme, held.lexeme), 'it is in ' || coalesce(held.parts, 0) || ' texts, not ' || coalesce(counted.parts, 0)
	FROM tapedeck.lexeme counted
	FULL JOIN (SELECT lexeme, count(*) AS parts FROM tapedeck.words, unnest(tsvector_to_array(words)) lexeme GROUP BY lexeme) held
		ON held.lexeme = counted.lexeme
	WHERE counted.parts IS DISTINCT FROM held.parts`,

	`SELECT 'the index', 'the sums of its texts'' lengths are noted wrongly' FROM tapedeck.index_state,
		(SELECT count(*) AS parts, coalesce(sum(length), 0) AS length FROM tapedeck.words) held
	WHERE (index_state.parts, index_state.length) <> (held.parts, held.length)`,
}

// Check implements store.Store.
func (s *Store) Check(ctx context.Context) ([]store.Problem, error) {
	var problems []store.Problem
	err := s.read(ctx, func(tx pgx.Tx) error {
		for _, r := range rules {
			found, err := r.violations(ctx, tx)
			if err != nil {
				return err
			}
			problems = append(problems, found...)
		}
		for _, check := range []func(context.Context, pgx.Tx) ([]store.Problem, error){checkPieces, checkBodies} {
			found, err := check(ctx, tx)
			if err != nil {
				return err
			}
			problems = append(problems, found...)
		}
		return nil
	})
	return problems, err
}

func (r rule) violations(ctx context.Context, tx pgx.Tx) ([]store.Problem, error) {
	rows, err := tx.Query(ctx, string(r))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Problem, error) {
		var p store.Problem
		err := row.Scan(&p.Where, &p.What)
		return p, err
	})
}

// checkPieces counts the references to each piece, and compares.
func checkPieces(ctx context.Context, tx pgx.Tx) ([]store.Problem, error) {
	refs := map[body.ID]int64{} // counted, less those noted
	var id [16]byte
	var n int64
	count := func(query string, sign int64) error {
		rows, err := tx.Query(ctx, query)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
			refs[id] += sign * n
			return nil
		})
		return err
	}
	if err := count("SELECT body, count(*) FROM tapedeck.record GROUP BY body", 1); err != nil {
		return nil, err
	}
	if err := count("SELECT id, refs FROM tapedeck.piece_refs", -1); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT id, stored FROM tapedeck.piece")
	if err != nil {
		return nil, err
	}
	there := make(map[body.ID]bool, len(refs))
	var stored []byte
	if _, err := pgx.ForEachRow(rows, []any{&id, &stored}, func() error {
		there[id] = true
		for _, child := range body.References(stored) {
			refs[child]++
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var problems []store.Problem
	for id, n := range refs {
		switch where := fmt.Sprintf("piece %x", id); {
		case !there[id]:
			problems = append(problems, store.Problem{Where: where, What: "it is referred to, and missing"})
		case n != 0:
			problems = append(problems, store.Problem{Where: where, What: fmt.Sprintf("%+d references are not noted", n)})
		}
		delete(there, id)
	}
	for id := range there {
		problems = append(problems, store.Problem{Where: fmt.Sprintf("piece %x", id), What: "nothing refers to it"})
	}
	return problems, nil
}

// checkBodies reads each body once, stream by stream, and compares its hash.
func checkBodies(ctx context.Context, tx pgx.Tx) ([]store.Problem, error) {
	rows, err := tx.Query(ctx, "SELECT id FROM tapedeck.stream ORDER BY id")
	if err != nil {
		return nil, err
	}
	streams, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	var problems []store.Problem
	seen := map[body.Sum]bool{}
	for _, stream := range streams {
		unseen, err := selectRows(ctx, tx, "WHERE stream = $1", stream)
		if err != nil {
			return nil, err
		}
		unseen = slices.DeleteFunc(unseen, func(r *row) bool {
			before := seen[r.sum]
			seen[r.sum] = true
			return before
		})
		for len(unseen) > 0 {
			part := unseen[:portionOf(unseen)]
			unseen = unseen[len(part):]
			found, err := verify(ctx, tx, part)
			if err != nil {
				return nil, err
			}
			problems = append(problems, found...)
		}
	}
	return problems, nil
}

// verify reads bodies at once, and one by one where that fails.
func verify(ctx context.Context, tx pgx.Tx, rows []*row) ([]store.Problem, error) {
	bodies, err := readRowBodies(ctx, tx, rows)
	if errors.Is(err, body.ErrDamaged) && len(rows) > 1 {
		var problems []store.Problem
		for i := range rows {
			found, err := verify(ctx, tx, rows[i:i+1])
			if err != nil {
				return nil, err
			}
			problems = append(problems, found...)
		}
		return problems, nil
	}
	if errors.Is(err, body.ErrDamaged) {
		return []store.Problem{damaged(rows[0], err)}, nil
	}
	if err != nil {
		return nil, err
	}
	var problems []store.Problem
	for i, r := range rows {
		if err := body.Verify(bodies[i], r.sum); err != nil {
			problems = append(problems, damaged(r, err))
		}
	}
	return problems, nil
}

func damaged(r *row, err error) store.Problem {
	return store.Problem{Where: fmt.Sprintf("body of record %q of stream %d", r.key, r.stream), What: err.Error()}
}

package sqlite

import (
	"context"
	"fmt"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Check reads everything and returns what is wrong.
func (s *Store) Check(ctx context.Context) ([]store.Problem, error) {
	check := checker{problems: []store.Problem{}}
	err := s.read(ctx, func(c *conn) error {
		check.conn = c
		for _, part := range []func() error{check.file, check.bodies, check.references, check.sums, check.days} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
	return check.problems, err
}

// maxProblems bounds what a broken store tells.
const maxProblems = 1000

type checker struct {
	conn     *conn
	problems []store.Problem
}

func (ch *checker) found(where, what string) {
	if len(ch.problems) < maxProblems {
		ch.problems = append(ch.problems, store.Problem{Where: where, What: what})
	}
}

// file has SQLite check its own structures.
func (ch *checker) file() error {
	err := ch.conn.each("PRAGMA quick_check(20)", nil, func(r *row) error {
		if text := r.text(); text != "ok" {
			ch.found("file", text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ch.conn.each("PRAGMA foreign_key_check", nil, func(r *row) error {
		table, id, parent := r.text(), r.int(), r.text()
		ch.found(fmt.Sprintf("%s %d", table, id), "refers to what is not in "+parent)
		return nil
	})
}

// bodies puts each body together and compares its hash.
func (ch *checker) bodies() error {
	return ch.conn.each("SELECT min(id), key, piece, size, sum FROM record GROUP BY piece, sum, size", nil, func(r *row) error {
		id, v := r.int(), &version{}
		v.Key, v.piece, v.size = r.text(), r.int(), r.int()
		copy(v.sum[:], r.blob())
		content, err := ch.conn.bodyOf(v)
		if err == nil {
			err = body.Verify(content, v.sum)
		}
		if err != nil && ch.conn.ctx.Err() != nil {
			return ch.conn.ctx.Err()
		}
		if err != nil {
			ch.found(fmt.Sprintf("record %d", id), err.Error())
		}
		return nil
	})
}

// references counts the references to each piece.
func (ch *checker) references() error {
	refs := map[body.ID]int64{}
	err := ch.conn.each("SELECT sum, count(*) FROM record GROUP BY sum", nil, func(r *row) error {
		if sum := r.blob(); len(sum) == len(body.Sum{}) {
			refs[body.ID(sum[:len(body.ID{})])] += r.int()
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = ch.conn.each("SELECT data FROM piece", nil, func(r *row) error {
		for _, id := range body.References(r.blob()) {
			refs[id]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = ch.conn.each("SELECT id, hash, refs FROM piece", nil, func(r *row) error {
		id, hash, counted := r.int(), r.blob(), r.int()
		if len(hash) != len(body.ID{}) {
			ch.found(fmt.Sprintf("piece %d", id), "its hash is none")
			return nil
		}
		if there := refs[body.ID(hash)]; there != counted {
			ch.found(fmt.Sprintf("piece %d", id), fmt.Sprintf("%d references are counted, %d are there", counted, there))
		}
		delete(refs, body.ID(hash))
		return nil
	})
	for id, n := range refs {
		ch.found(fmt.Sprintf("piece %x", id), fmt.Sprintf("it is missing; %d references are there", n))
	}
	return err
}

// A disagreement is a query for what is wrong: where, a number, and another that
// should be equal.
type disagreement struct{ what, query string }

var disagreements = []disagreement{
	{"keys of records", `SELECT 'stream ' || t.harness || ':' || t.key, t.records, n FROM
		(SELECT t.id AS id, count(r.id) AS n FROM stream t LEFT JOIN record r ON r.stream = t.id AND r.counts GROUP BY t.id) c
		JOIN stream t ON t.id = c.id WHERE t.records <> n`},
	{"records that count of a key", `SELECT 'stream ' || stream || ' key ' || key, 1, sum(counts) FROM record GROUP BY stream, key HAVING sum(counts) <> 1`},
	{"shared origins", `SELECT 'stream ' || t.harness || ':' || t.key, t.shared, n FROM
		(SELECT id, EXISTS (SELECT 1 FROM record r JOIN record o ON o.origin_hash = r.origin_hash AND o.stream <> r.stream WHERE r.stream = t.id) AS n FROM stream t) c
		JOIN stream t ON t.id = c.id WHERE t.shared <> n`},
	{"sessions of a deleted stream", `SELECT 'stream ' || t.harness || ':' || t.key, 0, count(*) FROM stream t JOIN session s ON s.stream = t.id
		WHERE t.deleted_by IS NOT NULL GROUP BY t.id`},
	{"traces", `SELECT 'session ' || s.sid, s.traces, n FROM
		(SELECT s.id AS id, count(t.id) AS n FROM session s LEFT JOIN trace t ON t.session = s.id GROUP BY s.id) c
		JOIN session s ON s.id = c.id WHERE s.traces <> n`},
	{"spans", `SELECT 'session ' || s.sid || ' trace ' || t.seq, t.spans, n FROM
		(SELECT t.id AS id, count(p.id) AS n FROM trace t LEFT JOIN span p ON p.trace = t.id GROUP BY t.id) c
		JOIN trace t ON t.id = c.id JOIN session s ON s.id = t.session WHERE t.spans <> n`},
	{"tokens by kind", `SELECT 'session ' || s.sid, s.tokens, r.input_tokens + r.cache_read + r.cache_write + r.output_tokens AS n
		FROM session s JOIN session_rest r ON r.session = s.id WHERE s.tokens <> n`},
}

// sums compares numbers that should agree.
func (ch *checker) sums() error {
	for _, d := range slices.Concat(disagreements, indexDisagreements) {
		err := ch.conn.each(d.query, nil, func(r *row) error {
			where, noted, there := r.text(), r.int(), r.int()
			ch.found(where, fmt.Sprintf("%s: %d are noted, %d are there", d.what, noted, there))
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", d.what, err)
		}
	}
	return nil
}

// days compares what sessions took with the sums over their days.
func (ch *checker) days() error {
	return ch.conn.each("SELECT s.sid, s.tokens, s.cost, d.shares FROM session s LEFT JOIN daily d ON d.session = s.id", nil, func(r *row) error {
		sid, tokens, cost := r.text(), r.int(), r.int()
		var sum session.Usage
		for s := newShares(r.blob()); s.next(); {
			sum.Add(s.usage)
		}
		if sum.Total() != tokens || int64(sum.Cost) != cost {
			ch.found("session "+sid, fmt.Sprintf("its days add up to %d tokens and %v dollars, it has %d and %v",
				sum.Total(), sum.Cost, tokens, session.USD(cost)))
		}
		return nil
	})
}

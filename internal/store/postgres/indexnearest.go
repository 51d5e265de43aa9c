package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

const (
	// fewDocuments are compared one by one: that takes no longer than looking in the
	// index for the ones among all others that a filter keeps.
	fewDocuments = 3000
	// widestBeam is the most that hnsw.ef_search takes.
	widestBeam = 1000
	// longestStep bounds how many chunks are read at once.
	longestStep = 5000
	// graphLimit is up to how many documents the index is asked for.
	graphLimit = 2000
)

// A vectorSearch looks for the documents nearest to a vector.
type vectorSearch struct {
	generation
	tx     pgx.Tx
	vector []byte
	chosen conditions
	limit  int
}

// run compares all vectors of documents that are chosen, where these are few or
// nearly all of them are wanted. Otherwise it goes along the index.
func (v vectorSearch) run(ctx context.Context) ([]store.IndexHit, error) {
	if err := hurry(ctx, v.tx); err != nil {
		return nil, err
	}
	if !v.graph || v.limit > graphLimit {
		return v.exact(ctx)
	}
	few, err := isFew(ctx, v.tx, v.chosen)
	if err != nil {
		return nil, err
	}
	if few {
		return v.exact(ctx)
	}
	hits, err := v.walk(ctx)
	if err == nil && len(hits) < v.limit {
		return v.exact(ctx)
	}
	return hits, err
}

// isFew reports whether few documents are chosen.
func isFew(ctx context.Context, tx pgx.Tx, chosen conditions) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM tapedeck.document d JOIN tapedeck.session s ON s.num = d.session%s LIMIT %d) chosen",
		chosen.sql(), fewDocuments+1), append([]any{pgx.QueryExecModeCacheDescribe}, chosen.args...)...).Scan(&n)
	return n <= fewDocuments, err
}

// exact compares all vectors.
func (v vectorSearch) exact(ctx context.Context) ([]store.IndexHit, error) {
	c := v.chosen.clone()
	c.args = append(c.args, v.vector)
	rows, err := v.tx.Query(ctx, fmt.Sprintf(`SELECT %s, h.score, h.start_at, h.end_at FROM (
			SELECT * FROM (
				SELECT DISTINCT ON (d.span_id, d.trace_id) d.span_id, d.trace_id, s.id AS session_id, d.kind, d.model, d.started_at, d.text,
					v.start_at, v.end_at, -(v.embedding %s $%d) AS score
				FROM tapedeck.document d JOIN tapedeck.session s ON s.num = d.session JOIN %s v ON v.text = d.text%s
				ORDER BY d.span_id, d.trace_id, score DESC
			) nearest ORDER BY score DESC, started_at DESC, span_id%s
		) h JOIN tapedeck.document_text x ON x.num = h.text ORDER BY h.score DESC, h.started_at DESC, h.span_id`,
		hitColumns, v.operator(), len(c.args), v.table(), c.sql(), limited(v.limit)), append([]any{pgx.QueryExecModeCacheDescribe}, c.args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]store.IndexHit{}, rows, func(row pgx.CollectableRow) (store.IndexHit, error) {
		var hit store.IndexHit
		err := row.Scan(append(hitFields(&hit), &hit.Score, &hit.Start, &hit.End)...)
		return hit, err
	})
}

// walk goes along the index from the nearest chunk on, and looks up the documents
// of the texts that it meets, until enough are found.
func (v vectorSearch) walk(ctx context.Context) ([]store.IndexHit, error) {
	if err := v.openWalk(ctx); err != nil {
		return nil, err
	}
	nearest := map[int64]nearChunk{} // by text
	var hits []foundHit
	seen := 0
	for step := v.beam(); len(hits) < v.limit; {
		fresh, met, err := v.step(ctx, step, nearest)
		if err != nil {
			return nil, err
		}
		found, err := v.documents(ctx, fresh)
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
		if met < step {
			break
		}
		// As many chunks as are likely to bring what is wanted.
		seen += met
		step = min(max(100, (v.limit-len(hits))*seen/max(1, len(hits))*5/4), longestStep)
	}
	return v.best(hits, nearest), nil
}

// beam is how many chunks are looked at at once.
func (v vectorSearch) beam() int { return min(max(100, v.limit+v.limit/4), widestBeam) }

func (v vectorSearch) openWalk(ctx context.Context) error {
	settings := []string{
		"enable_seqscan = off", "hnsw.iterative_scan = relaxed_order", fmt.Sprint("hnsw.ef_search = ", v.beam()),
		"hnsw.max_scan_tuples = 1000000", "hnsw.scan_mem_multiplier = 16",
	}
	if _, err := v.tx.Exec(ctx, "SET LOCAL "+strings.Join(settings, "; SET LOCAL ")); err != nil {
		return err
	}
	_, err := v.tx.Exec(ctx, fmt.Sprintf("DECLARE walk NO SCROLL CURSOR FOR SELECT text, start_at, end_at, -(embedding %s $1) FROM %s ORDER BY embedding %s $1",
		v.operator(), v.table(), v.operator()), pgx.QueryExecModeCacheDescribe, v.vector)
	return err
}

// A nearChunk is the nearest chunk of a text that was met.
type nearChunk struct {
	start, end int
	score      float64
}

// step meets the next chunks. It returns the texts that are new, and the number of
// chunks.
func (v vectorSearch) step(ctx context.Context, size int, nearest map[int64]nearChunk) (fresh []int64, met int, err error) {
	rows, err := v.tx.Query(ctx, fmt.Sprintf("FETCH %d FROM walk", size), pgx.QueryExecModeExec)
	if err != nil {
		return nil, 0, err
	}
	var text int64
	var c nearChunk
	_, err = pgx.ForEachRow(rows, []any{&text, &c.start, &c.end, &c.score}, func() error {
		met++
		before, known := nearest[text]
		if !known {
			fresh = append(fresh, text)
		}
		if !known || c.score > before.score {
			nearest[text] = c
		}
		return nil
	})
	return fresh, met, err
}

// A foundHit is a document of a text.
type foundHit struct {
	store.IndexHit
	text int64
}

// documents are those of texts that are chosen.
func (v vectorSearch) documents(ctx context.Context, texts []int64) ([]foundHit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	c := v.chosen.clone()
	c.add("d.text = ANY($)", texts)
	rows, err := v.tx.Query(ctx, `SELECT d.span_id, d.trace_id, s.id, d.kind, d.model, d.started_at, x.hash, d.text FROM tapedeck.document d
		JOIN tapedeck.session s ON s.num = d.session JOIN tapedeck.document_text x ON x.num = d.text`+c.sql(),
		append([]any{pgx.QueryExecModeCacheDescribe}, c.args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (foundHit, error) {
		var hit foundHit
		err := row.Scan(append(hitFields(&hit.IndexHit), &hit.text)...)
		return hit, err
	})
}

// best are the hits in order, at most limit.
func (v vectorSearch) best(found []foundHit, nearest map[int64]nearChunk) []store.IndexHit {
	hits := make([]store.IndexHit, len(found))
	for i, f := range found {
		c := nearest[f.text]
		hits[i] = f.IndexHit
		hits[i].Score, hits[i].Start, hits[i].End = c.score, c.start, c.end
	}
	slices.SortFunc(hits, func(a, b store.IndexHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.StartedAt, a.StartedAt), strings.Compare(a.SpanID, b.SpanID))
	})
	return hits[:min(len(hits), v.limit)]
}

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
	// widestBeam is the most that hnsw.ef_search takes.
	widestBeam = 1000
	// longestStep bounds how many chunks are read at once.
	longestStep = 5000
)

// A vectorWalk goes from the nearest chunk on, and looks up the documents of the
// texts that it meets, until enough are found.
type vectorWalk struct {
	generation
	tx     pgx.Tx
	vector []byte
	limit  int
	share  float64                                                      // of the chunks, about, whose texts have a chosen document
	lookUp func(ctx context.Context, texts []int64) ([]foundHit, error) // the chosen documents of texts
}

// A foundHit is a document of a text.
type foundHit struct {
	store.IndexHit
	text int64
}

// alongGraph goes along the index, which misses some.
func (v *vectorWalk) alongGraph(ctx context.Context) ([]store.IndexHit, error) {
	settings := []string{
		"enable_seqscan = off", "hnsw.iterative_scan = relaxed_order", fmt.Sprint("hnsw.ef_search = ", v.beam()),
		"hnsw.max_scan_tuples = 1000000", "hnsw.scan_mem_multiplier = 16",
	}
	if _, err := v.tx.Exec(ctx, "SET LOCAL "+strings.Join(settings, "; SET LOCAL ")); err != nil {
		return nil, err
	}
	return v.walk(ctx, "graph", "ORDER BY embedding "+v.operator()+" $1")
}

// exactly goes along all chunks that a condition chooses, whose arguments are $2 and
// on. The order is an expression that the index does not have.
func (v *vectorWalk) exactly(ctx context.Context, chosen string, args ...any) ([]store.IndexHit, error) {
	return v.walk(ctx, "exact", chosen+" ORDER BY 0 + (embedding "+v.operator()+" $1)", args...)
}

// beam is how many chunks are looked at at once: as many as are likely to do, because
// going on in the graph takes longer.
func (v vectorWalk) beam() int {
	return int(min(max(100, float64(v.limit)*5/4/max(v.share, 0.01)), widestBeam))
}

// walk goes along chunks with a cursor of that name.
func (v *vectorWalk) walk(ctx context.Context, cursor, order string, args ...any) ([]store.IndexHit, error) {
	_, err := v.tx.Exec(ctx, fmt.Sprintf("DECLARE %s NO SCROLL CURSOR FOR SELECT text, start_at, end_at, -(embedding %s $1) FROM %s %s",
		cursor, v.operator(), v.table(), order), append([]any{pgx.QueryExecModeCacheDescribe, v.vector}, args...)...)
	if err != nil {
		return nil, err
	}
	nearest := map[int64]nearChunk{} // by text
	var hits []foundHit
	seen := 0
	for step := v.beam(); len(hits) < v.limit; {
		fresh, met, err := v.step(ctx, cursor, step, nearest)
		if err != nil {
			return nil, err
		}
		found, err := v.lookUp(ctx, fresh)
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
		seen += met
		v.share = float64(len(hits)) / float64(max(1, seen))
		if met < step {
			break
		}
		// As many chunks as are likely to bring what is wanted.
		step = min(max(100, (v.limit-len(hits))*seen/max(1, len(hits))*5/4), longestStep)
	}
	return v.best(hits, nearest), nil
}

// A nearChunk is the nearest chunk of a text that was met.
type nearChunk struct {
	start, end int
	score      float64
}

// step meets the next chunks. It returns the texts that are new, and the number of
// chunks.
func (v vectorWalk) step(ctx context.Context, cursor string, size int, nearest map[int64]nearChunk) (fresh []int64, met int, err error) {
	rows, err := v.tx.Query(ctx, fmt.Sprintf("FETCH %d FROM %s", size, cursor), pgx.QueryExecModeExec)
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

// best are the hits in order, at most limit.
func (v vectorWalk) best(found []foundHit, nearest map[int64]nearChunk) []store.IndexHit {
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

package postgres

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
)

// With an index of vectors, nearly all of the nearest are found, and as many as are
// asked for, whatever a filter keeps.
func TestIndexOfVectors(t *testing.T) {
	const width = 24
	sh := fillShelf(t, graphFrom+2000, width)
	t.Run("beside the documents", func(t *testing.T) { sh.testIndex(t, &sh.vectorTables, sh.Store, width) })
	t.Run("apart from them", func(t *testing.T) {
		v := sh.apart(t)
		sh.testIndex(t, &v.vectorTables, v, width)
	})
}

// apart has the shelf's vectors in another database as well.
func (sh *shelf) apart(t *testing.T) *Vectors {
	t.Helper()
	if _, err := sh.pool.Exec(t.Context(), `INSERT INTO tapedeck.trace_change (trace_id, session_id, digest) SELECT trace_id, 's', '' FROM tapedeck.document;
		UPDATE tapedeck.index_state SET followed = (SELECT max(seq) FROM tapedeck.trace_change)`); err != nil {
		t.Fatal(err)
	}
	v := openVectors(t, postgrestest.NewDatabase(t), sh.Store)
	g, err := v.Generation(t.Context(), "test", "m", sh.generation.Width)
	if err != nil || g.Missing != int64(len(sh.vectors)) {
		t.Fatalf("%+v, %v; want %d missing", g, err, len(sh.vectors))
	}
	var vectors []store.HashVectors
	for id, vector := range sh.vectors {
		vectors = append(vectors, store.HashVectors{Hash: id, Chunks: []store.ChunkVector{{End: 10, Vector: vector}}})
	}
	if err := v.PutVectors(t.Context(), g.ID, vectors); err != nil {
		t.Fatal(err)
	}
	if missing, err := v.Missing(t.Context(), g.ID, nil, 1); err != nil || len(missing) != 0 {
		t.Fatalf("missing: %v, %v", missing, err)
	}
	return v
}

func (sh *shelf) testIndex(t *testing.T, tables *vectorTables, in store.VectorIndex, width int) {
	var made bool
	err := tables.db.pool.QueryRow(t.Context(), "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", tables.schema+".vector_1_graph").Scan(&made)
	if err != nil || !made {
		t.Fatalf("the index is valid: %v, %v", made, err)
	}
	right, wanted := 0, 0
	for range 10 {
		v := randomUnit(sh.random, width)
		for _, limit := range []int{5, 50, 100} {
			best := sh.nearest(v, limit)
			hits := sh.search(t, in, v, store.IndexFilter{}, limit)
			for i, hit := range hits {
				if i > 0 && hit.Score > hits[i-1].Score {
					t.Errorf("hit %d has score %g, the one before %g", i, hit.Score, hits[i-1].Score)
				}
				if slices.Contains(best, hit.SpanID) {
					right++
				}
			}
			wanted += limit
		}
	}
	if right < wanted*95/100 {
		t.Errorf("%d of %d nearest are right", right, wanted)
	}
	for name, f := range shelfFilters {
		for _, limit := range []int{5, 50, 100, 1000, 3000} {
			want := limit
			switch name {
			case "project":
				want = min(limit, len(sh.vectors)/shelfSessions)
			case "time":
				want = min(limit, 1000)
			}
			hits := sh.search(t, in, randomUnit(sh.random, width), f, limit)
			if len(hits) != want {
				t.Errorf("%s, limit %d: %d hits, want %d", name, limit, len(hits), want)
			}
			for _, hit := range hits {
				var n int
				fmt.Sscanf(hit.SessionID, "session %d", &n)
				if name == "project" && n != 7 || name == "half" && n%2 != 1 {
					t.Errorf("%s: found in %s", name, hit.SessionID)
				}
			}
		}
	}
}

func (sh *shelf) search(t *testing.T, in store.VectorIndex, v []float32, f store.IndexFilter, limit int) []store.IndexHit {
	t.Helper()
	hits, err := in.SearchVectors(t.Context(), sh.generation.ID, v, f, limit)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// Vectors are searched up to the width that pgvector takes, also without an index.
func TestWideVectors(t *testing.T) {
	for _, width := range []int{1, 2, widestIndexed, widestIndexed + 1, widest} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			sh := fillShelf(t, 20, width)
			for id, v := range sh.vectors {
				hits := sh.search(t, sh, v, store.IndexFilter{}, 3)
				if len(hits) != 3 || width > 2 && hits[0].SpanID != id || math.Abs(hits[0].Score-1) > 0.001 {
					t.Errorf("the vector of %s finds %+v", id, hits)
				}
			}
		})
	}
	if _, err := openStore(t).Generation(t.Context(), "test", "m", widest+1); err == nil {
		t.Error("a wider generation than pgvector has was made")
	}
}

func TestHalf(t *testing.T) {
	for x, want := range map[float32]uint16{
		0: 0, 1: 0x3c00, -1: 0xbc00, 0.5: 0x3800, 0.333251953125: 0x3555, 1.0 / 3: 0x3555, 0.99999: 0x3c00, 1e-9: 0, 1e9: 0x7bff, -2: 0xc000, 6.103515625e-05: 0x0400,
	} {
		if got := half(x); got != want {
			t.Errorf("half(%g) is %#x, want %#x", x, got, want)
		}
	}
}

// Without pgvector, and without the right to make it, all but vectors works.
func TestWithoutExtension(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	role := "tapedeck_test_no_vectors"
	postgrestest.Run(t, dsn, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'; CREATE SCHEMA tapedeck AUTHORIZATION %s", role, password, role))
	t.Cleanup(func() { postgrestest.Run(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	s := reopen(t, postgrestest.WithUser(t, dsn, role, password))
	ctx := t.Context()
	_, err := s.Generation(ctx, "test", "m", 3)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "CREATE EXTENSION vector") {
		t.Errorf("a generation: %v, want ErrUnavailable that says what to run", err)
	}
	if list, err := s.Generations(ctx); err != nil || len(list) != 0 {
		t.Errorf("generations: %v, %v; want none", list, err)
	}
	if err := s.PutDocuments(ctx, 0, nil); err != nil {
		t.Errorf("documents: %v", err)
	}
	if hits, err := s.SearchText(ctx, store.TextQuery{Terms: []string{"word"}, Limit: 5}); err != nil || len(hits) != 0 {
		t.Errorf("text: %v, %v", hits, err)
	}
	postgrestest.Run(t, dsn, "CREATE EXTENSION vector")
	if g, err := s.Generation(ctx, "test", "m", 3); err != nil || g.Width != 3 {
		t.Errorf("when it was made: %+v, %v", g, err)
	}
	s.Close()
}

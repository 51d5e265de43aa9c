package postgres

import (
	"testing"

	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/storetest"
)

func TestIndex(t *testing.T) {
	storetest.RunIndex(t, func(t *testing.T) (first, second storetest.IndexedStore) {
		dsn := postgrestest.NewDatabase(t)
		return reopen(t, dsn), reopen(t, dsn)
	})
}

// Plain BM25 without stemming gives .370 and .362 (issue 4).
func TestIndexQuality(t *testing.T) {
	for name, want := range map[string]float64{"cranfield": 0.39, "cacm": 0.46} {
		t.Run(name, func(t *testing.T) {
			got := storetest.LexicalQuality(t, openStore(t), name)
			t.Logf("nDCG@10 %.4f", got)
			if got < want {
				t.Errorf("nDCG@10 is %.4f, want %.2f", got, want)
			}
		})
	}
}

package search

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/store"
)

// silentVectors lie on a machine that takes what is sent and does not answer, until
// it is mended.
type silentVectors struct {
	brokenVectors
	mended bool
}

func (v *silentVectors) wait(ctx context.Context) error {
	if v.mended {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (v *silentVectors) Generations(ctx context.Context) ([]store.Generation, error) {
	if err := v.wait(ctx); err != nil {
		return nil, err
	}
	return v.fakeStore.Generations(ctx)
}

func (v *silentVectors) SearchVectors(ctx context.Context, id int64, vector []float32, f store.IndexFilter, limit int) ([]store.IndexHit, error) {
	if err := v.wait(ctx); err != nil {
		return nil, err
	}
	return v.fakeStore.SearchVectors(ctx, id, vector, f, limit)
}

// Where the vectors' machine does not answer, one query waits for it, but not for
// long, and those after it do not.
func TestSilentVectors(t *testing.T) {
	for _, before := range []bool{true, false} { // the generations are read, or not
		synctest.Test(t, func(t *testing.T) {
			f := newFakeStore()
			f.say("s1", "hello", "world")
			indexed(t, f, newFakeEmbedder())
			v := &silentVectors{brokenVectors: brokenVectors{fakeStore: f}, mended: before}
			s, err := Open(t.Context(), Options{Store: f, Vectors: v, Embedder: newFakeEmbedder()})
			if err != nil {
				t.Fatal(err)
			}
			if before {
				search(t, s, Request{Query: "hello"})
			}
			v.mended = false
			for _, longest := range []time.Duration{vectorsPatience, 0, 0} {
				begin := time.Now()
				answer := search(t, s, Request{Query: "hello"})
				if answer.Count != 1 || answer.Mode != ModeLexical || !strings.Contains(answer.Notice, "host/vectors did not answer within 5s") {
					t.Errorf("%+v", answer)
				}
				if took := time.Since(begin); took > longest {
					t.Errorf("took %v, want %v at most", took, longest)
				}
			}
			begin := time.Now()
			if got := status(t, s); got.Healthy || !strings.Contains(got.LastError, "did not answer") || time.Since(begin) > 0 {
				t.Errorf("after %v: %+v", time.Since(begin), got)
			}
			v.mended = true
			time.Sleep(sparedFor)
			if answer := search(t, s, Request{Query: "hello"}); answer.Mode != ModeHybrid || answer.Notice != "" {
				t.Errorf("mended: %+v", answer)
			}
		})
	}
}

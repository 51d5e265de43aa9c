package search

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
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

// lossyVectors can't be stored until they are mended.
type lossyVectors struct {
	brokenVectors
	mended atomic.Bool
}

func (v *lossyVectors) PutVectors(ctx context.Context, generation int64, vectors []store.HashVectors) error {
	if !v.mended.Load() {
		return fmt.Errorf("%w: have the owner run CREATE EXTENSION vector", store.ErrNoVectors)
	}
	return v.fakeStore.PutVectors(ctx, generation, vectors)
}

// That vectors can't be stored is told, with the reason, until they can.
func TestVectorsThatCanNotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		f.say("s1", "hello", "world")
		v := &lossyVectors{brokenVectors: brokenVectors{fakeStore: f}}
		s, err := Open(t.Context(), Options{Store: f, Vectors: v, Embedder: newFakeEmbedder()})
		if err != nil {
			t.Fatal(err)
		}
		running(t, s)
		time.Sleep(2 * time.Second)
		const reason = "vectors can't be stored: the database can't keep vectors: have the owner run CREATE EXTENSION vector"
		if got := status(t, s); got.Healthy || got.LastError != reason || got.Missing != 1 {
			t.Errorf("%+v", got)
		}
		if answer := search(t, s, Request{Query: "hello"}); answer.Count != 1 || !strings.Contains(answer.Notice, reason) {
			t.Errorf("%+v", answer)
		}
		v.mended.Store(true)
		time.Sleep(2 * storeRetry)
		if got := status(t, s); !got.Healthy || got.LastError != "" || got.Missing != 0 {
			t.Errorf("mended: %+v", got)
		}
		if answer := search(t, s, Request{Query: "hello"}); answer.Mode != ModeHybrid || answer.Notice != "" {
			t.Errorf("mended: %+v", answer)
		}
	})
}

// Vectors that lie apart do not take over while another process may use those beside
// the documents.
func TestVectorsBesideTheDocumentsAreLeftToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beside, apart := newFakeStore(), newFakeStore()
		say := func(text string) {
			for _, f := range []*fakeStore{beside, apart} {
				f.say("s1", text, "answer")
			}
		}
		say("hello")
		indexed(t, beside, newFakeEmbedder())
		indexed(t, apart, nil)
		s, err := Open(t.Context(), Options{Store: beside, Vectors: brokenVectors{fakeStore: apart}, Embedder: newFakeEmbedder()})
		if err != nil {
			t.Fatal(err)
		}
		running(t, s)
		tookOver := func() bool {
			t.Helper()
			list, err := apart.Generations(t.Context())
			if err != nil || len(list) != 1 || list[0].Missing != 0 {
				t.Fatalf("%+v, %v; want one that is full", list, err)
			}
			return list[0].Active
		}
		time.Sleep(2 * leftAfter)
		if tookOver() {
			t.Error("it took over while nothing new was left out of the others")
		}
		if got := status(t, s); !strings.Contains(got.Notice, "are kept as well") {
			t.Errorf("%+v", got)
		}
		say("world")
		indexed(t, apart, nil)
		time.Sleep(2 * leftAfter)
		if !tookOver() {
			t.Error("it did not take over when the others were left")
		}
	})
}

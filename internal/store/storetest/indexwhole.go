package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Two processes project and follow at once; what each misses the other has done.
func testIndexConcurrent(t *testing.T, open OpenIndex) {
	first, second := open(t)
	const streams, rounds = 4, 12
	ctx := t.Context()
	var work sync.WaitGroup
	for worker := range 4 {
		s := []IndexedStore{first, second}[worker%2]
		work.Go(func() {
			for i := range rounds {
				r := ref(fmt.Sprint("s", (i+worker)%streams))
				if _, err := s.Append(ctx, batch(r, record(fmt.Sprint(worker, " ", i), int64(i+1)))); err != nil {
					t.Errorf("append: %v", err)
				}
				tellSome(t, s)
				if err := followSome(ctx, s, 5); err != nil {
					t.Errorf("following: %v", err)
				}
			}
		})
	}
	work.Wait()
	tellSome(t, first)
	follow(t, first)
	if state := indexState(t, second); state.Behind != 0 || state.Followed != state.Latest || state.Documents != streams*2 {
		t.Errorf("%+v, want %d documents, and all followed", state, streams*2)
	}
	for k := range streams {
		r := ref(fmt.Sprint("s", k))
		n := streamOf(t, first, r).Records
		last := store.IndexFilter{SessionID: r.SessionID()}
		same(t, "the last text", found(t, second, last, fmt.Sprintf("count%d", n)), []string{spanID(r, 1, 0, "")})
		same(t, "what was there before", found(t, second, last, fmt.Sprintf("count%d", n-1)), []string{})
		same(t, "what never changed", found(t, second, last, "steady"), []string{spanID(r, 0, 0, "")})
	}
	sound(t, first)
}

// tellSome projects what is pending, so long as nobody is quicker.
func tellSome(t *testing.T, s IndexedStore) {
	pending, err := s.Pending(t.Context(), deriver, 3)
	for len(pending) > 0 && err == nil {
		for _, stream := range pending {
			p := telling(stream.Ref, said("steady", fmt.Sprintf("count%d", stream.Records))...)
			if err := s.Project(t.Context(), stream, deriver, p); err != nil && !errors.Is(err, store.ErrChanged) {
				t.Errorf("project: %v", err)
				return
			}
		}
		pending, err = s.Pending(t.Context(), deriver, 3)
	}
	if err != nil {
		t.Errorf("pending: %v", err)
	}
}

func testIndexCancel(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple")...)})
	g := generation(t, s, "m", 2)
	putVectors(t, s, g, map[string][]float32{"apple": {1, 0}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"changes":     func() error { _, err := s.Changes(ctx, 0, 0); return err },
		"put":         func() error { return s.PutDocuments(ctx, 1, nil) },
		"state":       func() error { _, err := s.IndexState(ctx); return err },
		"texts":       func() error { _, err := s.Texts(ctx, []string{spanID(ref("a"), 0, 0, "")}); return err },
		"labels":      func() error { _, err := s.Labels(ctx, []string{traceID(ref("a"), 0)}); return err },
		"generation":  func() error { _, err := s.Generation(ctx, "test", "other", 2); return err },
		"generations": func() error { _, err := s.Generations(ctx); return err },
		"activate":    func() error { return s.Activate(ctx, g) },
		"missing":     func() error { _, err := s.Missing(ctx, g, nil, 1); return err },
		"put vectors": func() error { return s.PutVectors(ctx, g, []store.HashVectors{{Hash: hashOf("apple")}}) },
		"text": func() error {
			_, err := s.SearchText(ctx, store.TextQuery{Terms: []string{"apple"}, Limit: 5})
			return err
		},
		"vectors": func() error { _, err := s.SearchVectors(ctx, g, []float32{1, 0}, everything, 5); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	same(t, "afterwards", nearest(t, s, g, []float32{1, 0}, everything, 5), []string{spanID(ref("a"), 0, 0, "")})
	same(t, "afterwards, text", found(t, s, everything, "apple"), []string{spanID(ref("a"), 0, 0, "")})
}

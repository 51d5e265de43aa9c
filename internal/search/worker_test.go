package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// running runs a service until the test ends.
func running(t *testing.T, s *Service) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

func status(t *testing.T, s *Service) Status {
	t.Helper()
	got, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return *got
}

func TestNewTextIsFoundSoon(t *testing.T) {
	for _, told := range []bool{false, true} {
		t.Run(fmt.Sprintf("told %v", told), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, e := newFakeStore(), newFakeEmbedder()
				e.latency = 500 * time.Millisecond
				s := open(t, f, e)
				running(t, s)
				for i := range 10 {
					time.Sleep(time.Duration(i) * 700 * time.Millisecond)
					id := f.say("s1", fmt.Sprintf("car%d repaired", i), "well")
					if told {
						s.Notify()
					}
					time.Sleep(1100 * time.Millisecond)
					if got := spansOf(search(t, s, Request{Query: fmt.Sprintf("car%d", i), Mode: ModeLexical})); !slices.Equal(got, []string{id}) {
						t.Fatalf("by words: %v, want %v", got, id)
					}
					time.Sleep(2 * time.Second)
					if got := search(t, s, Request{Query: fmt.Sprintf("car%d fixed", i), Mode: ModeSemantic, TopK: 1}); got.Mode != ModeSemantic || got.Results[0].SpanID != id {
						t.Fatalf("by meaning: %+v, want %v", got, id)
					}
				}
			})
		})
	}
}

func TestWhatChangesOrGoesIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		f.say("s1", "apples", "ripe")
		f.say("s1", "pears", "ripe")
		s := open(t, f, newFakeEmbedder())
		running(t, s)
		time.Sleep(time.Second)

		f.forget("trc_0000")
		f.mu.Lock()
		spans := []session.Span{}
		for i := range 3*spansPage + 1 {
			spans = append(spans, session.Span{ID: fmt.Sprintf("llm_new%02d", i), TraceID: "trc_0001", SessionID: "s1", Kind: session.KindLLM,
				Output: []session.Part{{Type: session.Text, Text: fmt.Sprintf("plums number%d", i)}}})
		}
		f.put("trc_0001", "pears", spans)
		f.mu.Unlock()
		time.Sleep(2 * time.Second)

		got := status(t, s)
		if got.Documents != int64(len(spans)) || got.Behind != 0 || got.Missing != 0 {
			t.Errorf("%+v", got)
		}
		if got := spansOf(search(t, s, Request{Query: fmt.Sprintf("number%d", 3*spansPage), Mode: ModeLexical})); !slices.Equal(got, []string{"llm_new60"}) {
			t.Errorf("the last span: %v", got)
		}
	})
}

func TestNothingIsReadTwice(t *testing.T) {
	f := newFakeStore()
	for i := range 3 * changesPage {
		f.say("s1", fmt.Sprint("prompt ", i), "answer")
	}
	e := newFakeEmbedder()
	indexed(t, f, e)
	_, before := e.asked()
	f.badTrace = "trc_0000" // reading it fails
	f.say("s1", "one more", "answer")
	s := open(t, f, e)
	if _, err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, after := e.asked(); after != before+1 {
		t.Errorf("%d texts were embedded for one more", after-before)
	}
}

func TestATraceThatCanNotBeReadHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		f.say("s1", "apples", "ripe")
		f.say("s1", "pears", "ripe")
		f.badTrace = "trc_0000"
		s := open(t, f, nil)
		running(t, s)
		time.Sleep(readTries * storeRetry)
		if got := spansOf(search(t, s, Request{Query: "ripe"})); !slices.Equal(got, []string{"llm_0001"}) {
			t.Errorf("%v", got)
		}
	})
}

func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		f.say("s1", "apples", "ripe")
		f.failure = store.ErrUnavailable
		s := open(t, f, newFakeEmbedder())
		running(t, s)
		time.Sleep(time.Minute)
		f.mu.Lock()
		f.failure = nil
		f.mu.Unlock()
		time.Sleep(2 * storeRetry)
		if got := status(t, s); got.Documents != 1 || got.Missing != 0 || got.Vectors != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestSeveralProcessesGiveOneIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		var embedders []*fakeEmbedder
		for range 3 {
			e := newFakeEmbedder()
			e.latency = 200 * time.Millisecond
			embedders = append(embedders, e)
			running(t, open(t, f, e))
		}
		const texts = 600
		for i := range texts {
			f.say("s1", fmt.Sprintf("prompt %d of %d", i, texts), "answer")
		}
		time.Sleep(2 * time.Minute)
		s := open(t, f, newFakeEmbedder())
		if got := status(t, s); got.Documents != texts || got.Missing != 0 || got.Vectors != texts || got.Filling != "" {
			t.Errorf("%+v", got)
		}
		sum := 0
		for _, e := range embedders {
			_, n := e.asked()
			sum += n
		}
		if sum > 2*texts {
			t.Errorf("%d texts were embedded, of %d", sum, texts)
		}
	})
}

func TestIndexTellsHowFarItIs(t *testing.T) {
	f := newFakeStore()
	for i := range 2*changesPage + 10 {
		f.say("s1", fmt.Sprint("prompt ", i), "answer")
	}
	s := open(t, f, newFakeEmbedder())
	last := map[string]uint64{}
	total := map[string]uint64{}
	got, err := s.Index(t.Context(), func(done, of uint64, what string) {
		if done < last[what] || done > of {
			t.Errorf("%s: %d of %d after %d", what, done, of, last[what])
		}
		last[what], total[what] = done, of
	})
	if err != nil || got.Documents != 138 || got.Missing != 0 || got.Behind != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, what := range []string{"traces read", "texts embedded"} {
		if last[what] != 138 || total[what] != 138 {
			t.Errorf("%s: %d of %d at the end", what, last[what], total[what])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.say("s1", "more", "answer")
	if _, err := s.Index(ctx, nil); err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("cancelled: %v", err)
	}
}

package search

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/embed"
)

// The first answer of a process says why there are no vectors, and so does its first
// status: the embedder is asked, though not for long.
func TestTheFirstAnswerSaysWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		err     error // nil: it is slow
		says    string
		counted string
	}{
		"401":  {fmt.Errorf("%w: key of x", embed.ErrUnauthorized), "the embedder refuses the key: key of x; look at the setting embedding_key", FailureUnauthorized},
		"404":  {fmt.Errorf("%w: pull it", embed.ErrModelMissing), "the embedder does not have the model: pull it", FailureModelMissing},
		"down": {fmt.Errorf("%w: refused", embed.ErrUnreachable), "the embedder gives no vectors for now: refused", FailureUnreachable},
		"slow": {nil, "the embedder did not answer a query within 2s", FailureSlow},
	} {
		for _, first := range []string{"search", "status"} {
			t.Run(name+" "+first, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f, e := newFakeStore(), newFakeEmbedder()
					f.say("s1", "one", "answer")
					if _, err := open(t, f, nil).Index(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					if e.failing(tc.err); tc.err == nil {
						e.latency = 29 * time.Second
					}
					s := open(t, f, e)
					begin := time.Now()
					if first == "search" {
						got := search(t, s, Request{Query: "one"})
						if want := "only words were searched, not meaning: no text has vectors yet: " + tc.says; got.Count != 1 || got.Mode != ModeLexical || got.Notice != want {
							t.Errorf("got %+v; want %s", got, want)
						}
					}
					got := status(t, s)
					if took := time.Since(begin); got.Healthy || got.LastError != tc.says || took > queryPatience {
						t.Errorf("after %s: %+v; want %s", took, got, tc.says)
					}
					want := (&health{}).counted()
					want[tc.counted] = 1
					time.Sleep(time.Minute) // the slow call has ended
					if diff := cmp.Diff(want, status(t, s).Failures); diff != "" {
						t.Errorf("failures (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// A query that had to wait is forgotten when the embedder is quick again, though no
// query comes that would show it.
func TestSlownessPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		f.say("s1", "one", "answer")
		s := open(t, f, e)
		running(t, s)
		time.Sleep(2 * time.Second)
		e.script(func(ctx context.Context, _ []string) error { // as a client that loses its patience
			time.Sleep(10 * time.Second)
			return fmt.Errorf("%w: no answer within 10s", embed.ErrUnreachable)
		})
		if got := search(t, s, Request{Query: "one"}); !strings.Contains(got.Notice, errSlow.Error()) {
			t.Errorf("%+v", got)
		}
		time.Sleep(15 * time.Second)
		e.script(nil)
		time.Sleep(longestWait)
		if got := status(t, s); !got.Healthy || got.LastError != "" {
			t.Errorf("mended: %+v", got)
		}
	})
}

func TestFailureKinds(t *testing.T) {
	for want, errs := range map[string][]error{
		FailureUnauthorized: {embed.ErrUnauthorized},
		FailureModelMissing: {embed.ErrModelMissing},
		FailureQuota:        {embed.ErrQuota},
		FailureWidth:        {embed.ErrWidth},
		FailureUnreachable:  {embed.ErrUnreachable, &embed.RetryError{}, context.DeadlineExceeded},
		FailureSlow:         {errSlow},
		FailureText:         {embed.ErrTooLong, &embed.TooLongError{}, &embed.TextError{}},
		FailureOther:        {embed.ErrRefused, fmt.Errorf("something odd")},
	} {
		for _, err := range errs {
			if got := failureKind(fmt.Errorf("of x: %w", err)); got != want {
				t.Errorf("%v is of kind %s, want %s", err, got, want)
			}
		}
	}
}

package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/embed"
)

// An embedder that fails is told of, words are searched, and once it is mended
// nothing is missing.
func TestAnEmbedderThatFailsAndIsMended(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		within time.Duration // of being mended all is there
	}{
		"401":          {fmt.Errorf("%w: key of x", embed.ErrUnauthorized), mendWait},
		"quota":        {fmt.Errorf("%w: pay", embed.ErrQuota), mendWait},
		"404":          {fmt.Errorf("%w: pull it", embed.ErrModelMissing), mendWait},
		"width":        {fmt.Errorf("%w: 3 instead of 64", embed.ErrWidth), mendWait},
		"400":          {fmt.Errorf("%w: what?", embed.ErrRefused), mendWait},
		"down":         {fmt.Errorf("%w: connection refused", embed.ErrUnreachable), longestWait},
		"429":          {&embed.RetryError{After: 20 * time.Second, Detail: "too many requests"}, 20 * time.Second},
		"unknown kind": {errors.New("something odd"), mendWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, e := newFakeStore(), newFakeEmbedder()
				old := f.say("s1", "the automobile was fixed", "yes")
				s := open(t, f, e)
				running(t, s)
				time.Sleep(2 * time.Second)
				if got := status(t, s); !got.Healthy || got.Missing != 0 || got.Generation != "fake/words (64)" || got.Filling != "" {
					t.Fatalf("before: %+v", got)
				}

				e.failing(tc.err)
				for i := range 20 {
					f.say("s1", fmt.Sprintf("the car%d was fixed", i), "no")
				}
				time.Sleep(3 * time.Minute)
				got := status(t, s)
				if got.Healthy || !strings.HasPrefix(got.LastError, tc.err.Error()) || got.Missing != 20 || got.SetAside != 0 || got.Retry > tc.within {
					t.Errorf("while it fails: %+v", got)
				}
				if calls, _ := e.asked(); calls > 100 {
					t.Errorf("it was asked %d times", calls)
				}
				answer := search(t, s, Request{Query: "automobile"})
				if answer.Mode != ModeLexical || !slices.Equal(spansOf(answer), []string{old}) || !strings.Contains(answer.Notice, tc.err.Error()) {
					t.Errorf("search: %+v", answer)
				}

				e.failing(nil)
				time.Sleep(tc.within + time.Second)
				if got := status(t, s); !got.Healthy || got.LastError != "" || got.Missing != 0 || got.Retry != 0 {
					t.Errorf("mended: %+v", got)
				}
				if answer := search(t, s, Request{Query: "automobile"}); answer.Mode != ModeHybrid || answer.Notice != "" {
					t.Errorf("search: %+v", answer)
				}
			})
		})
	}
}

func TestAQueryNoticesThatTheEmbedderIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		f.say("s1", "one", "answer")
		s := open(t, f, e)
		running(t, s)
		time.Sleep(2 * time.Second)
		e.failing(embed.ErrUnauthorized)
		f.say("s1", "two", "answer")
		time.Sleep(2 * time.Second)
		e.failing(nil)
		if got := search(t, s, Request{Query: "one"}); got.Mode != ModeHybrid {
			t.Errorf("%+v", got)
		}
		time.Sleep(time.Second)
		if got := status(t, s); got.Missing != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// So does one that comes before there is any vector to compare it with.
func TestAQueryNoticesThatTheEmbedderIsMendedAtLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		e.failing(embed.ErrUnauthorized)
		f.say("s1", "one", "answer")
		s := open(t, f, e)
		running(t, s)
		time.Sleep(2 * time.Second)
		e.failing(nil)
		if got := search(t, s, Request{Query: "one"}); got.Count != 1 || !strings.HasSuffix(got.Notice, "no text has vectors yet") {
			t.Errorf("%+v", got)
		}
		time.Sleep(time.Second)
		if got := search(t, s, Request{Query: "one"}); got.Mode != ModeHybrid || got.Notice != "" {
			t.Errorf("%+v", got)
		}
	})
}

func TestASlowEmbedderHoldsUpNoQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		f.say("s1", "one", "answer")
		s := open(t, f, e)
		running(t, s)
		time.Sleep(2 * time.Second)
		e.mu.Lock()
		e.latency = 25 * time.Second
		e.mu.Unlock()
		for _, longest := range []time.Duration{queryPatience, 0} { // the second does not wait
			begin := time.Now()
			answer := search(t, s, Request{Query: "one"})
			if answer.Mode != ModeLexical || answer.Count != 1 || !strings.Contains(answer.Notice, "did not answer a query within 2s") || time.Since(begin) > longest {
				t.Errorf("after %s: %+v", time.Since(begin), answer)
			}
		}
		if got := status(t, s); got.Healthy || !strings.Contains(got.LastError, "did not answer a query within 2s") {
			t.Errorf("%+v", got)
		}
		time.Sleep(25 * time.Second) // the answer comes after all
		f.say("s1", "two", "answer")
		time.Sleep(15 * time.Second)
		if got := status(t, s); got.Healthy || !strings.Contains(got.LastError, "has not answered for 1") {
			t.Errorf("%+v", got)
		}
		time.Sleep(15 * time.Second)
		if got := status(t, s); !got.Healthy || got.Missing != 0 {
			t.Errorf("slow, but it answers: %+v", got)
		}
	})
}

// One text that the embedder does not take holds up no other, and is tried again.
func TestABadTextHoldsUpNoOther(t *testing.T) {
	poisoned := func(texts []string) int {
		return slices.IndexFunc(texts, func(t string) bool { return strings.Contains(t, "poison") })
	}
	for name, reason := range map[string]func(bad int) error{
		"it is named":         func(bad int) error { return &embed.TextError{Text: bad, Detail: "no number"} },
		"it is not named":     func(int) error { return &embed.TextError{Text: -1, Detail: "no number"} },
		"refused":             func(int) error { return fmt.Errorf("%w: 400", embed.ErrRefused) },
		"the server breaks":   func(int) error { return fmt.Errorf("%w: 500", embed.ErrUnreachable) },
		"it is always long":   func(bad int) error { return &embed.TooLongError{Text: bad, Detail: "9 tokens"} },
		"something is long":   func(int) error { return &embed.TooLongError{Text: -1, Detail: "9 tokens"} },
		"the index is absurd": func(int) error { return &embed.TextError{Text: 1000, Detail: "no number"} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, e := newFakeStore(), newFakeEmbedder()
				e.batch = 16
				for i := range 50 {
					text := fmt.Sprint("text ", i)
					if i == 20 || i == 33 {
						text += " poison " + strings.Repeat("and more, ", 100)
					}
					f.say("s1", text, "answer")
				}
				e.script(func(_ context.Context, texts []string) error {
					if bad := poisoned(texts); bad >= 0 {
						return reason(bad)
					}
					return nil
				})
				s := open(t, f, e)
				running(t, s)
				time.Sleep(10 * time.Second)
				got := status(t, s)
				if !got.Healthy || got.Missing != 2 || got.SetAside != 2 || got.Filling != "" {
					t.Errorf("%+v", got)
				}
				e.script(nil)
				time.Sleep(5 * time.Minute)
				if got := status(t, s); got.Missing != 0 || got.SetAside != 0 {
					t.Errorf("mended: %+v", got)
				}
			})
		})
	}
}

func TestAnEmbedderThatRefusesEveryTextIsNotAskedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		for i := range maxAside + 500 {
			f.say("s1", fmt.Sprint("text ", i), "answer")
		}
		e.script(func(_ context.Context, texts []string) error {
			if texts[0] == cheapText {
				return nil
			}
			return &embed.TextError{Text: 0, Detail: "no number"}
		})
		s := open(t, f, e)
		running(t, s)
		time.Sleep(10 * time.Second)
		if got := status(t, s); got.Healthy || !strings.Contains(got.LastError, "refused one by one") || got.Missing != maxAside+500 {
			t.Errorf("%+v", got)
		}
		e.script(nil)
		time.Sleep(3 * time.Minute)
		if got := status(t, s); !got.Healthy || got.Missing != 0 {
			t.Errorf("mended: %+v", got)
		}
	})
}

func TestWhatIsTooLongIsCut(t *testing.T) {
	f, e := newFakeStore(), newFakeEmbedder()
	e.window = 4000
	var sentences []string
	for i := range 300 {
		sentences = append(sentences, fmt.Sprintf("This is sentence number %d of the text.", i))
	}
	f.say("s1", "a question", strings.Join(sentences, " "))
	e.script(func(_ context.Context, texts []string) error {
		for i, text := range texts {
			if len(text) > 700 {
				return &embed.TooLongError{Text: i, Detail: "too many tokens"}
			}
		}
		return nil
	})
	s := indexed(t, f, e)
	text := f.documents["llm_0000"].Text
	chunks := f.generations[0].vectors[f.documents["llm_0000"].Hash]
	end := 0
	for _, c := range chunks {
		if c.Start > end && strings.TrimSpace(text[end:c.Start]) != "" {
			t.Errorf("nothing holds %q", text[end:c.Start])
		}
		end = max(end, c.End)
	}
	if end != len(text) || len(chunks) < len(text)/700 {
		t.Errorf("%d chunks up to %d of %d", len(chunks), end, len(text))
	}
	answer := search(t, s, Request{Query: "sentence number 250", Mode: ModeSemantic})
	if !strings.Contains(answer.Results[0].Snippet, "number 250 of") {
		t.Errorf("%+v", answer.Results[0])
	}
}

func TestASlowServerIsAskedForLessAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		e.batch = 64
		for i := range 500 {
			f.say("s1", fmt.Sprint("text ", i), "answer")
		}
		late := 0
		e.script(func(_ context.Context, texts []string) error {
			if len(texts) > 8 {
				e.mu.Lock()
				late++
				e.mu.Unlock()
				time.Sleep(time.Minute)
				return embed.ErrUnreachable
			}
			time.Sleep(time.Second)
			return nil
		})
		s := open(t, f, e)
		running(t, s)
		time.Sleep(time.Hour)
		if got := status(t, s); got.Missing != 0 || got.SetAside != 0 {
			t.Errorf("%+v", got)
		}
		if late > 100 {
			t.Errorf("it was asked for too much %d times", late)
		}
	})
}

func TestTheNewestAreEmbeddedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		e.latency = time.Second
		for i := range 1000 {
			f.say("s1", fmt.Sprint("text ", i), "answer")
		}
		s := open(t, f, e)
		running(t, s)
		time.Sleep(20 * time.Second)
		id := f.say("s1", "the newest", "of all")
		time.Sleep(5 * time.Second)
		answer := search(t, s, Request{Query: "the newest of all", Mode: ModeSemantic, TopK: 1})
		if !slices.Equal(spansOf(answer), []string{id}) || !strings.Contains(answer.Notice, "of 1001 texts have no vectors yet") {
			t.Errorf("%+v", answer)
		}
		if got := status(t, s); got.PerSecond < 2 || got.PerSecond > 20 {
			t.Errorf("%v a second", got.PerSecond)
		}
	})
}

func TestALongTextIsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := newFakeStore(), newFakeEmbedder()
		e.latency, e.batch = time.Second, 1
		f.say("s1", "long", strings.Repeat("many words are here. ", 1000))
		s := open(t, f, e)
		running(t, s)
		for range 60 { // something is always new
			time.Sleep(time.Second)
			f.say("s1", fmt.Sprint("short ", time.Now()), "answer")
		}
		time.Sleep(2 * time.Minute)
		if got := status(t, s); got.Missing != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestANewModelTakesOverWhenItIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		for i := range 30 {
			f.say("s1", fmt.Sprint("text ", i), "answer")
		}
		indexed(t, f, newFakeEmbedder())

		e := newFakeEmbedder()
		e.model = embed.Model{Provider: "fake", Name: "other", Width: 32}
		e.batch, e.latency = 1, time.Second
		s := open(t, f, e)
		running(t, s)
		time.Sleep(4 * time.Second)
		got := status(t, s)
		if len(f.generations) != 2 || !f.generations[0].Active || got.Generation != "fake/other (32)" || got.Filling != "fake/other (32)" || got.Missing == 0 {
			t.Errorf("while it is filled: %+v", got)
		}
		answer := search(t, s, Request{Query: "text 29"})
		if answer.Mode != ModeHybrid || !strings.Contains(answer.Notice, "of 30 texts have no vectors yet") {
			t.Errorf("%+v", answer)
		}
		time.Sleep(time.Minute)
		if got = status(t, s); got.Filling != "" || got.Missing != 0 || !strings.Contains(got.Notice, "vectors of fake/words (64) are kept as well") {
			t.Errorf("when it is full: %+v", got)
		}
		f.say("s1", "a text that nobody embeds for the model before", "answer")
		time.Sleep(leftAfter + 2*besideEvery)
		got = status(t, s)
		if len(f.generations) != 1 || !f.generations[0].Active || got.Generation != "fake/other (32)" || got.Missing != 0 || got.Notice != "" {
			t.Errorf("an hour later: %+v", got)
		}
	})
}

func TestTheWidthMayNotBeKnownBefore(t *testing.T) {
	f, e := newFakeStore(), newFakeEmbedder()
	f.say("s1", "one", "answer")
	width := e.model.Width
	e.model.Width = 0
	e.script(func(context.Context, []string) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.model.Width = width
		return nil
	})
	s := indexed(t, f, e)
	if got := status(t, s); got.Generation != "fake/words (64)" || got.Missing != 0 {
		t.Errorf("%+v", got)
	}
	e.model.Width = 0 // another process, that only asks
	if got := search(t, open(t, f, e), Request{Query: "one"}); got.Mode != ModeHybrid || got.Notice != "" {
		t.Errorf("%+v", got)
	}
}

func TestAModelOfUnknownWidthIsNamedWithoutOne(t *testing.T) {
	f, e := newFakeStore(), newFakeEmbedder()
	f.say("s1", "one", "answer")
	e.model.Width = 0
	e.failing(embed.ErrUnauthorized)
	s := open(t, f, e)
	if _, err := s.Index(t.Context(), nil); !errors.Is(err, embed.ErrUnauthorized) {
		t.Fatal(err)
	}
	if got := status(t, s); got.Filling != "fake/words" || got.Missing != 1 {
		t.Errorf("%+v", got)
	}
}

func TestNothingToEmbedIsNotMissing(t *testing.T) {
	f, e := newFakeStore(), newFakeEmbedder()
	f.say("s1", "?!", "…")
	s := indexed(t, f, e)
	if got := status(t, s); got.Documents != 1 || got.Missing != 0 || got.Vectors != 0 {
		t.Errorf("%+v", got)
	}
}

func TestIndexTellsWhyItStops(t *testing.T) {
	for _, reason := range []error{embed.ErrUnauthorized, embed.ErrUnreachable} {
		synctest.Test(t, func(t *testing.T) {
			f, e := newFakeStore(), newFakeEmbedder()
			f.say("s1", "one", "answer")
			e.failing(reason)
			s := open(t, f, e)
			got, err := s.Index(t.Context(), nil)
			failure, _ := errors.AsType[*Error](err)
			if failure == nil || failure.Code != CodeEmbedder || !errors.Is(err, reason) || got == nil || got.Missing != 1 || got.Documents != 1 {
				t.Errorf("%+v, %v", got, err)
			}
			e.failing(nil)
			if got, err := s.Index(t.Context(), nil); err != nil || got.Missing != 0 {
				t.Errorf("mended: %+v, %v", got, err)
			}
		})
	}
}

func TestWaits(t *testing.T) {
	for _, tc := range []struct {
		err    error
		before int
		want   time.Duration
	}{
		{embed.ErrUnreachable, 0, time.Second},
		{embed.ErrUnreachable, 3, 8 * time.Second},
		{embed.ErrUnreachable, 100, time.Minute},
		{embed.ErrQuota, 100, mendWait},
		{&embed.RetryError{After: time.Millisecond}, 0, time.Second},
		{&embed.RetryError{After: time.Hour}, 0, longestTold},
	} {
		if got := waitAfter(tc.err, tc.before); got != tc.want {
			t.Errorf("%v after %d: %s, want %s", tc.err, tc.before, got, tc.want)
		}
	}
}

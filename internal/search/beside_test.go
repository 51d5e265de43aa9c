package search

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/store"
)

// Two processes that were given different models each search their own vectors, say
// so, and embed every text once.
func TestTwoModelsOnOneStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore()
		for i := range 100 {
			f.say("s1", fmt.Sprint("text ", i), "answer")
		}
		models := []embed.Model{{Provider: "fake", Name: "one", Width: 64}, {Provider: "fake", Name: "two", Width: 32}, {Provider: "fake", Name: "two", Width: 48}}
		var embedders []*fakeEmbedder
		var services []*Service
		for _, m := range models {
			e := newFakeEmbedder()
			e.model = m
			s := open(t, f, e)
			running(t, s)
			time.Sleep(10 * time.Minute)
			embedders, services = append(embedders, e), append(services, s)
		}
		const later = 20
		for i := range later {
			f.say("s1", fmt.Sprint("later ", i), "answer")
			time.Sleep(10 * time.Minute)
			for n, s := range services {
				if got := status(t, s); got.Missing != 0 || got.Generation != models[n].String() || got.Filling != "" {
					t.Fatalf("%s after %d: %+v", models[n], i, got)
				}
			}
		}
		for n, s := range services {
			got := status(t, s)
			for other, m := range models {
				if says := strings.Contains(got.Notice, m.String()); says != (other != n) || !strings.Contains(got.Notice, "another tapedeck fills") {
					t.Errorf("%s says of %s: %q", models[n], m, got.Notice)
				}
			}
			if found := search(t, s, Request{Query: "later 7"}); found.Mode != ModeHybrid || found.Notice != "" {
				t.Errorf("%s finds %+v", models[n], found)
			}
			if _, texts := embedders[n].asked(); texts > 100+later+later { // and queries, and probes
				t.Errorf("%s embedded %d texts", models[n], texts)
			}
		}
	})
}

// A text that an embedder does not take does not make others think that nobody fills
// its vectors.
func TestAGenerationThatLacksATextIsStillFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b beside
		for _, step := range []struct {
			texts, missing int64
			left           bool // an hour later
		}{
			{10, 2, false}, // nothing is new
			{10, 1, false}, // a text was deleted
			{11, 2, false}, // one of two new texts was embedded
			{11, 3, true},  // the next one was not
			{12, 2, false}, // it is now
		} {
			other := []store.Generation{{ID: 1, Texts: step.texts, Missing: step.missing}}
			b.look(other)
			time.Sleep(leftAfter)
			b.look(other)
			if b.left() != step.left {
				t.Errorf("with %d texts and %d missing: left %v", step.texts, step.missing, !step.left)
			}
		}
	})
}

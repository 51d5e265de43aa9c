package search

import (
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

func TestAdvice(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "the isolated test failed with E0502", "mended in foo_bar.go:120")
	s := indexed(t, f, newFakeEmbedder())
	for _, tc := range []struct {
		r    Request
		says string
	}{
		{Request{Query: "test failed"}, ""},
		{Request{Query: "E0502"}, ""},
		{Request{Query: "E0502 E0308"}, ""}, // one of them is there
		{Request{Query: "test E0308"}, `nothing has "E0308" as it is written: these hits are only near it`},
		{Request{Query: `"failed Test" bar_foo.go:7`}, `nothing has "failed Test", nor "bar_foo.go:7" as it is written: these hits are only near it`},
		{Request{Query: "test E0308", Mode: ModeSemantic}, ""},
		{Request{Query: "submarine", Mode: ModeLexical}, "nothing found: search tools and sub-agents as well (scope all), or ask in other words"},
		{Request{Query: "submarine", Mode: ModeLexical, Scope: "all"}, "nothing found: ask in other words"},
		{Request{Query: "submarine", Mode: ModeLexical, Scope: "all", Before: "2001-01-01", MinScore: 0.5}, "nothing found: lower min_score, leave filters out, or ask in other words"},
	} {
		if got := search(t, s, tc.r); got.Notice != tc.says || (got.Count == 0) != strings.HasPrefix(tc.says, "nothing found") {
			t.Errorf("%+v: %d hits, %q; want %q", tc.r, got.Count, got.Notice, tc.says)
		}
	}
}

// Full text knows forms of words that are not seen in a passage: hits keep their
// order, and a score.
func TestWordsInFormsThatAreNotSeen(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	storetest.Tell(t, st, "a", []string{"isolation of the one, isolation of the other", "isolation", "nothing of the kind"})
	s := open(t, st, nil)
	got := search(t, s, Request{Query: "isolated", Mode: ModeLexical})
	if got.Count != 2 || got.Results[0].Score != 1 || got.Results[1].Score <= 0 || got.Results[1].Score == 1 {
		t.Errorf("%+v", got)
	}
	if got := search(t, s, Request{Query: "of the", Mode: ModeLexical}); got.Count != 2 || got.Results[0].Score == 0 {
		t.Errorf("stop words alone: %+v", got)
	}
}

// Secrets are masked in all that a hit shows.
func TestHitsShowNoSecrets(t *testing.T) {
	const key = "ghp_" + "Xk3vQ9mZ7tR2bN8wL5cF1jH6dS4gA0yEu2Vp"
	f := newFakeStore()
	f.say("s1", "deploy with "+key, "done")
	named := f.sessions["s1"]
	named.Title = "deploy with " + key
	f.sessions["s1"] = named
	s := indexed(t, f, newFakeEmbedder())
	got := search(t, s, Request{Query: "deploy"})
	if hit := got.Results[0]; strings.Contains(hit.UserPrompt+hit.Title+hit.Snippet, key) || !strings.HasPrefix(hit.UserPrompt, "deploy with [") {
		t.Errorf("%+v", hit)
	}
}

// What has nothing that could be looked for is no query.
func TestPunctuationIsNoQuery(t *testing.T) {
	s := open(t, newFakeStore(), newFakeEmbedder())
	for text, blank := range map[string]bool{"...": true, `"'"`: true, "\xff\xfe": true, " ~+ ": true, "🙈": false, "é": false, "7": false, "→": false} {
		_, err := s.Search(t.Context(), Request{Query: text})
		if refused := err != nil && strings.Contains(err.Error(), "query is blank"); refused != blank {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Shells put a separator behind the folder that they complete.
func TestAFolderMayEndInASeparator(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "hello", "world")
	s := indexed(t, f, newFakeEmbedder())
	if got := search(t, s, Request{Query: "hello", Project: "rover/"}); got.Count != 1 {
		t.Errorf("%+v", got)
	}
}

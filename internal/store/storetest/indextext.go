package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// spoken are texts with something that is easily missed.
var spoken = []string{
	0:  "The tests were failing again, because the runner retries.",
	1:  "A test fails when it runs too late.",
	2:  "see internal/foo_bar.go:120 for the reason",
	3:  "foo is at line 120 of bar.go",
	4:  "error[E0308]: mismatched types in bd-q3fy",
	5:  "E0309, and bd without q3fy",
	6:  "Café Zürich, naïve façade",
	7:  "call getUserName() or parseHTTPRequest",
	8:  `she said "NEAR the end" AND left; OR NOT`,
	9:  "version 1.2.3-rc.1 of github.com/Ann/Tool",
	10: "🙈 emoji and Ünïcödé, ἀγορά, Привет",
	11: "x",
	12: "body: column text * star ^ caret",
}

func tellSpoken(t *testing.T, open OpenIndex) IndexedStore {
	t.Helper()
	s, _ := open(t)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said(spoken...)...)})
	return s
}

// spokenBy are the places in spoken of what has the terms.
func spokenBy(t *testing.T, s IndexedStore, terms ...string) []int {
	t.Helper()
	places := []int{}
	for _, id := range found(t, s, everything, terms...) {
		for i := range spoken {
			if id == spanID(ref("a"), i, 0, "") {
				places = append(places, i)
			}
		}
	}
	slices.Sort(places)
	return places
}

func testTerms(t *testing.T, open OpenIndex) {
	s := tellSpoken(t, open)
	for _, c := range []struct {
		terms string // with | between
		want  []int
	}{
		{"testing", []int{0, 1}},
		{"Tests", []int{0, 1}},
		{"failed", []int{0, 1}},
		{"retry", []int{0}},
		{"absent", []int{}},
		{"absent|retry", []int{0}},
		{"foo_bar.go:120", []int{2}},
		{"internal/foo_bar.go", []int{2}},
		{"foo_bar", []int{2}},
		{"bar.go", []int{2, 3}},
		{"120", []int{2, 3}},
		{"E0308", []int{4}},
		{"e0308", []int{4}},
		{"error[E0308]", []int{4}},
		{"bd-q3fy", []int{4}},
		{"q3fy", []int{4, 5}},
		{"mismatched types", []int{4}},
		{"types mismatched", []int{}},
		{"cafe", []int{6}},
		{"CAFÉ", []int{6}},
		{"zurich", []int{6}},
		{"facade", []int{6}},
		{"getUserName", []int{7}},
		{"parseHTTPRequest", []int{7}},
		{"1.2.3-rc.1", []int{9}},
		{"github.com/ann/tool", []int{9}},
		{"привет", []int{10}},
		{"x", []int{11}},
		{"x|retry", []int{0, 11}},
	} {
		if got := spokenBy(t, s, strings.Split(c.terms, "|")...); !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, want %v", c.terms, got, c.want)
		}
	}
}

// What a search engine has of syntax is text in a term, and no term is an error.
func testTermSyntax(t *testing.T, open OpenIndex) {
	s := tellSpoken(t, open)
	for _, terms := range [][]string{
		nil, {}, {""}, {" "}, {"\x00"}, {"*"}, {`"`}, {`""`}, {"'"}, {"(", ")"}, {"-", "+", "^", ":"}, {"🙈🙈"}, {"\xff\xfe"}, {"..."},
		{"&"}, {"|"}, {"!"}, {"<->"}, {"\\"}, {"%"}, {"{}"},
	} {
		if got := spokenBy(t, s, terms...); len(got) != 0 {
			t.Errorf("%q finds %v, want nothing", terms, got)
		}
	}
	for _, c := range []struct {
		term string
		want []int
	}{
		{`retries"`, []int{0}},
		{`"retries" OR "fails"`, []int{}},
		{"retr*", []int{}},
		{"NEAR(retries runner)", []int{}},
		{"text : retries", []int{}},
		{"body:column", []int{12}},
		{"^see", []int{2}},
		{"-retries", []int{0}},
		{"retries & runner", []int{}},
		{"retries:*", []int{0}},
		{"!retries", []int{0}},
		{"(retries)", []int{0}},
		{"'retries'", []int{0}},
		{"retries\x00", []int{0}},
		{"\xffretries", []int{0}},
		{"retries\\", []int{0}},
		{`"NEAR the end"`, []int{8}},
		{strings.Repeat("retries ", 500), []int{}},
	} {
		if got := spokenBy(t, s, c.term); !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, want %v", c.term, got, c.want)
		}
	}
	many := []string{"retry"}
	for i := range 2000 {
		many = append(many, fmt.Sprint("absent", i))
	}
	if got := spokenBy(t, s, many...); !slices.Equal(got, []int{0}) {
		t.Errorf("one word of 2001 finds %v", got)
	}
}

func testTextRanking(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	texts := []string{
		0: "alpha beta gamma",
		1: "alpha beta delta",
		2: "alpha epsilon zeta",
		3: "rare epsilon zeta",
	}
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("alpha filler%d text%d", i, i))
	}
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said(texts...)...)})
	id := func(i int) string { return spanID(ref("a"), i, 0, "") }

	got := found(t, s, everything, "alpha", "beta", "gamma")
	if len(got) != 23 || got[0] != id(0) || got[1] != id(1) {
		t.Errorf("more words: %d found, first %v", len(got), got[:min(2, len(got))])
	}
	got = found(t, s, everything, "rare", "alpha")
	if len(got) != 24 || got[0] != id(3) {
		t.Errorf("a rarer word: %d found, first %v", len(got), got[:min(1, len(got))])
	}
	hits, err := s.SearchText(t.Context(), store.TextQuery{Terms: []string{"gamma"}, Filter: everything, Limit: 5})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%+v, %v; want one hit", hits, err)
	}
	if hits[0].Score <= 0 {
		t.Errorf("score %g, want more than 0", hits[0].Score)
	}
	hits[0].Score = 0
	same(t, "a hit", hits[0], store.IndexHit{
		SpanID: id(0), TraceID: traceID(ref("a"), 0), SessionID: ref("a").SessionID(), Kind: session.KindLLM, Model: "m",
		StartedAt: day0, Hash: hashOf(texts[0]),
	})
}

func testTextFilters(t *testing.T, open OpenIndex) {
	s := tellFiltered(t, open)
	for _, c := range filterCases() {
		got := found(t, s, c.filter, "word")
		same(t, c.name, sorted(got), c.want)
	}
}

func testTextLimits(t *testing.T, open OpenIndex) {
	const n = 1100
	s, _ := open(t)
	projections := map[session.Ref]session.Projection{}
	for part := range 11 {
		var spans []span
		for i := range n / 11 {
			text := fmt.Sprintf("common text %d of %d", i, part)
			if i == 0 {
				text += " seldom"
			}
			spans = append(spans, span{text: text})
		}
		r := ref(fmt.Sprint("s", part))
		projections[r] = telling(r, spans)
	}
	indexed(t, s, projections)
	one := store.IndexFilter{SessionID: ref("s7").SessionID()}
	for _, c := range []struct {
		limit  int
		filter store.IndexFilter
		want   int
	}{
		{-1, everything, 0}, {0, everything, 0}, {1, everything, 1}, {5, everything, 5}, {100, everything, 100}, {1000, everything, 1000},
		{2000, everything, n}, {5, one, 5}, {100, one, 100}, {1000, one, 100},
	} {
		for _, terms := range [][]string{{"common"}, {"seldom", "common"}, {"the", "common", "absent"}} {
			hits, err := s.SearchText(t.Context(), store.TextQuery{Terms: terms, Filter: c.filter, Limit: c.limit})
			if err != nil || len(hits) != c.want {
				t.Errorf("limit %d of %q in %+v: %d hits, %v; want %d", c.limit, terms, c.filter, len(hits), err, c.want)
			}
			spanIDs(t, hits)
		}
	}
}

func testLabels(t *testing.T, open OpenIndex) {
	s, other := open(t)
	a, b := telling(ref("a"), said("one", "two")...), telling(session.Ref{Harness: "codex", Key: "b"}, said("three")...)
	b.Sessions[0].Session.Project = "Other"
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): a, {Harness: "codex", Key: "b"}: b})
	ids := []string{a.Sessions[0].Traces[0].Trace.ID, a.Sessions[0].Traces[1].Trace.ID, b.Sessions[0].Traces[0].Trace.ID}
	titleA, titleB := a.Sessions[0].Session.Title, b.Sessions[0].Session.Title
	labels := func(ids ...string) map[string]store.Label {
		t.Helper()
		got, err := other.Labels(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one := store.Label{UserPrompt: "turn 0", Title: titleA, Harness: harness, Project: "Café"}
	two := store.Label{UserPrompt: "turn 1", Title: titleA, Harness: harness, Project: "Café"}
	three := store.Label{UserPrompt: "turn 0", Title: titleB, Harness: "codex", Project: "Other"}
	same(t, "none", labels(), map[string]store.Label{})
	same(t, "all", labels(ids[0], "", ids[1], "trc_none", ids[2], ids[0]), map[string]store.Label{ids[0]: one, ids[1]: two, ids[2]: three})
	if _, err := s.Rename(t.Context(), ref("a").SessionID(), "named by hand"); err != nil {
		t.Fatal(err)
	}
	one.Title = "named by hand"
	same(t, "renamed", labels(ids[0]), map[string]store.Label{ids[0]: one})
	if _, err := s.Delete(t.Context(), ref("a").SessionID()); err != nil {
		t.Fatal(err)
	}
	same(t, "deleted", labels(ids...), map[string]store.Label{ids[2]: three})
}

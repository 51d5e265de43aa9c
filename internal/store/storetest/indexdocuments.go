package storetest

import (
	"context"
	"errors"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testDocuments(t *testing.T, open OpenIndex) {
	s, other := open(t)
	first, second := spanID(ref("a"), 0, 0, ""), spanID(ref("a"), 0, 1, "")
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), []span{{text: "apple"}, {text: "pear"}})})
	same(t, "apple", found(t, other, everything, "apple"), []string{first})
	same(t, "pear", found(t, other, everything, "pear"), []string{second})

	put := func(documents ...store.IndexDocument) {
		t.Helper()
		traces := []store.TraceDocuments{{TraceID: traceID(ref("a"), 0), Documents: documents}}
		if err := s.PutDocuments(t.Context(), indexState(t, s).Latest, traces); err != nil {
			t.Fatal(err)
		}
	}
	put(document(first, "cherry"), document(second, "pear"))
	same(t, "what was replaced", found(t, other, everything, "apple"), []string{})
	same(t, "what replaced it", found(t, other, everything, "cherry"), []string{first})
	same(t, "what stayed", found(t, other, everything, "pear"), []string{second})

	put(document(first, "cherry"))
	same(t, "what was left out", found(t, other, everything, "pear"), []string{})
	same(t, "what was not", found(t, other, everything, "cherry"), []string{first})

	put()
	same(t, "when there are none", found(t, other, everything, "cherry", "pear"), []string{})
}

// Whoever follows may be slower than a deletion: it must not bring a text back.
func testDocumentsNeedSpans(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("one", "two")...)})
	_, last := changes(t, s, 0, 0)
	err := s.PutDocuments(t.Context(), last, []store.TraceDocuments{
		{TraceID: traceID(ref("a"), 0), Documents: []store.IndexDocument{
			document("llm_none", "word"), document(spanID(ref("a"), 1, 0, ""), "word of another trace's span"),
		}},
		{TraceID: "trc_none", Documents: []store.IndexDocument{document("llm_none", "word")}},
		{TraceID: traceID(ref("b"), 0), Documents: []store.IndexDocument{document(spanID(ref("b"), 0, 0, ""), "word")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "found", found(t, s, everything, "word"), []string{})
	if state := indexState(t, s); state.Documents != 0 || state.Behind != 0 {
		t.Errorf("%+v, want no documents, and all followed", state)
	}
	g := generation(t, s, "m", 3)
	if missing, err := s.Missing(t.Context(), g, nil, 10); err != nil || len(missing) != 0 {
		t.Errorf("missing: %v, %v; want none", missing, err)
	}
}

func testDocumentsGo(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{
		ref("a"): telling(ref("a"), []span{{text: "apple tree"}, {kind: session.KindTool, text: "pear tree"}}, []span{{text: "cherry tree"}}),
	})
	grow(t, s, ref("a"), telling(ref("a"), []span{{text: "apple tree, and more"}}))
	same(t, "before it is followed", found(t, other, everything, "tree"), []string{spanID(ref("a"), 0, 0, "")})
	if state := indexState(t, other); state.Documents != 1 {
		t.Errorf("%+v, want 1 document", state)
	}
	follow(t, other)
	same(t, "when it is followed", found(t, s, everything, "more"), []string{spanID(ref("a"), 0, 0, "")})
	texts, err := s.Texts(t.Context(), []string{spanID(ref("a"), 0, 1, session.KindTool), spanID(ref("a"), 1, 0, "")})
	if err != nil || len(texts) != 0 {
		t.Errorf("texts of spans that are gone: %v, %v", texts, err)
	}
}

// Of two that follow, the slower one may have read a trace before it changed.
func testDocumentsOutdated(t *testing.T, open OpenIndex) {
	s, slow := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple")...)})
	_, seen := changes(t, slow, 0, 0)
	old := []store.TraceDocuments{{TraceID: traceID(ref("a"), 0), Documents: []store.IndexDocument{document(spanID(ref("a"), 0, 0, ""), "apple")}}}

	grow(t, s, ref("a"), telling(ref("a"), said("pear")...))
	follow(t, s)
	before := indexState(t, s)
	if err := slow.PutDocuments(t.Context(), seen, old); err != nil {
		t.Fatal(err)
	}
	same(t, "what the slower one read", found(t, s, everything, "apple"), []string{})
	same(t, "what the quicker one read", found(t, s, everything, "pear"), []string{spanID(ref("a"), 0, 0, "")})
	same(t, "state", indexState(t, s), before)
}

// A trace that changed again, which nobody has followed yet, is taken as it was read:
// it is found until whoever follows comes to the later change. Of several traces only
// those are left out that somebody else has followed further.
func testDocumentsOvertaken(t *testing.T, open OpenIndex) {
	s, slow := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple", "plum", "fig")...)})
	_, seen := changes(t, slow, 0, 0)
	read := func(i int, text string) store.TraceDocuments {
		return store.TraceDocuments{TraceID: traceID(ref("a"), i), Documents: []store.IndexDocument{document(spanID(ref("a"), i, 0, ""), text)}}
	}

	grow(t, s, ref("a"), telling(ref("a"), said("pear", "plum", "fig")...))
	if err := slow.PutDocuments(t.Context(), seen, []store.TraceDocuments{read(0, "apple"), read(1, "plum")}); err != nil {
		t.Fatal(err)
	}
	same(t, "what was read before a change", found(t, s, everything, "apple"), []string{spanID(ref("a"), 0, 0, "")})
	if state := indexState(t, s); state.Followed != seen || state.Behind != 1 {
		t.Errorf("%+v, want the change of one trace above %d to be followed", state, seen)
	}

	follow(t, s)
	before := indexState(t, s)
	if err := slow.PutDocuments(t.Context(), seen, []store.TraceDocuments{read(0, "apple"), read(1, "cherry"), {TraceID: traceID(ref("a"), 2)}}); err != nil {
		t.Fatal(err)
	}
	same(t, "the trace that changed", found(t, s, everything, "apple", "pear"), []string{spanID(ref("a"), 0, 0, "")})
	same(t, "as it changed", found(t, s, everything, "pear"), []string{spanID(ref("a"), 0, 0, "")})
	same(t, "one that did not", found(t, s, everything, "cherry"), []string{spanID(ref("a"), 1, 0, "")})
	same(t, "one that has no documents", found(t, s, everything, "fig"), []string{})
	if state := indexState(t, s); state.Followed != before.Followed || state.Behind != 0 || state.Documents != 2 {
		t.Errorf("%+v, want 2 documents, and followed as far as %+v", state, before)
	}
}

func testDocumentsAtomic(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple", "pear")...)})
	_, last := changes(t, s, 0, 0)
	before := indexState(t, s)
	documents := func(hash string) []store.TraceDocuments {
		broken := document(spanID(ref("a"), 1, 0, ""), "pear")
		broken.Hash = hash
		return []store.TraceDocuments{
			{TraceID: traceID(ref("a"), 0), Documents: []store.IndexDocument{document(spanID(ref("a"), 0, 0, ""), "apple")}},
			{TraceID: traceID(ref("a"), 1), Documents: []store.IndexDocument{broken}},
		}
	}
	if err := s.PutDocuments(t.Context(), last, documents("")); err == nil {
		t.Error("a document without a hash was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.PutDocuments(ctx, last, documents(hashOf("pear"))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	same(t, "state", indexState(t, s), before)
	same(t, "found", found(t, s, everything, "apple", "pear"), []string{})
}

func testIndexDelete(t *testing.T, open OpenIndex) {
	s, other := open(t)
	r, sub := ref("a"), ref("a").Sub("x")
	with(t, s, map[session.Ref]session.Projection{
		r: telling(r, []span{{text: "apple tree"}, {kind: session.KindTool, text: "shared tree"}}), ref("b"): telling(ref("b"), said("shared tree")...),
	})
	appendTo(t, s, batch(sub, record("r", 1)))
	project(t, s, sub, asSubagentOf(telling(sub, said("twig of a tree")...), r))
	follow(t, s)
	g := generation(t, s, "m", 2)
	putVectors(t, s, g, map[string][]float32{"apple tree": {1, 0}, "shared tree": {0, 1}, "twig of a tree": {1, 1}})
	if got := found(t, other, everything, "tree"); len(got) != 4 {
		t.Fatalf("found before: %v, want 4", got)
	}
	if _, err := s.Delete(t.Context(), r.SessionID()); err != nil {
		t.Fatal(err)
	}
	kept := []string{spanID(ref("b"), 0, 0, "")}
	for name, s := range map[string]IndexedStore{"here": s, "there": other} {
		same(t, "text, "+name, found(t, s, everything, "tree", "apple", "twig"), kept)
		same(t, "vectors, "+name, nearest(t, s, g, []float32{1, 0}, everything, 10), kept)
	}
	texts, err := other.Texts(t.Context(), []string{spanID(r, 0, 0, ""), spanID(sub, 0, 0, ""), kept[0]})
	if err != nil || len(texts) != 1 || texts[kept[0]] != "shared tree" {
		t.Errorf("texts: %v, %v", texts, err)
	}
	if state := indexState(t, s); state.Documents != 1 {
		t.Errorf("%+v, want 1 document", state)
	}
	if got := generations(t, s); len(got) != 1 || got[0].Texts != 1 || got[0].Vectors != 1 || got[0].Missing != 0 {
		t.Errorf("generations: %+v, want one with 1 text and 1 vector", got)
	}
	follow(t, s)
	same(t, "when it is followed", found(t, s, everything, "tree"), kept)
	sound(t, s)
}

func testTexts(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	long := string(awkward()["long text"])
	texts := []string{"é🙈 \uFFFD\n\ttabs \"and\" quotes", "", long, "x"}
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said(texts...)...)})
	want, asked := map[string]string{}, []string{"llm_none", ""}
	for i, text := range texts {
		id := spanID(ref("a"), i, 0, "")
		want[id], asked = text, append(asked, id, id)
	}
	got, err := s.Texts(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "texts", got, want)
}

// What a filter goes by may change without any trace that does.
func testSessionsChange(t *testing.T, open OpenIndex) {
	s, other := open(t)
	p := telling(ref("a"), said("apple")...)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): p})
	g := generation(t, s, "m", 2)
	putVectors(t, s, g, map[string][]float32{"apple": {1, 0}})
	expect := func(name string, f store.IndexFilter, want ...string) {
		t.Helper()
		same(t, name+", text", found(t, other, f, "apple"), want)
		same(t, name+", vectors", nearest(t, other, g, []float32{1, 0}, f, 5), want)
	}
	only := spanID(ref("a"), 0, 0, "")
	expect("as it was", store.IndexFilter{Project: "CAFÉ"}, only)
	p.Sessions[0].Session.Project, p.Sessions[0].Session.Cwd = "Bar", "/srv/Bar"
	grow(t, s, ref("a"), p)
	expect("by its old project", store.IndexFilter{Project: "Café"})
	expect("by its new project", store.IndexFilter{Project: "bar"}, only)
	expect("by its new folder", store.IndexFilter{Project: "/SRV/bar"}, only)
	p = asSubagentOf(p, ref("b"))
	grow(t, s, ref("a"), p)
	expect("a sub-agent's, in main", store.IndexFilter{})
	expect("a sub-agent's", store.IndexFilter{Scope: store.ScopeSubagents}, only)
	p.Sessions[0].Session.Internal = true
	grow(t, s, ref("a"), p)
	expect("an internal one", everything)
}

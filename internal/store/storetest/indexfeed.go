package storetest

import (
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testIndexEmpty(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	if list, _ := changes(t, s, 0, 0); len(list) != 0 {
		t.Errorf("changes: %v", list)
	}
	same(t, "state", indexState(t, s), store.IndexState{})
	same(t, "found", found(t, s, everything, "word"), []string{})
	if generations, err := s.Generations(t.Context()); err != nil || len(generations) != 0 {
		t.Errorf("generations: %v, %v", generations, err)
	}
	if texts, err := s.Texts(t.Context(), []string{"llm_none", ""}); err != nil || len(texts) != 0 {
		t.Errorf("texts: %v, %v", texts, err)
	}
	g := generation(t, s, "m", 3)
	same(t, "nearest", nearest(t, s, g, []float32{1, 0, 0}, everything, 5), []string{})
	if missing, err := s.Missing(t.Context(), g, nil, 10); err != nil || len(missing) != 0 {
		t.Errorf("missing: %v, %v", missing, err)
	}
	if err := s.PutDocuments(t.Context(), 0, nil); err != nil {
		t.Errorf("no documents: %v", err)
	}
}

func testChanges(t *testing.T, open OpenIndex) {
	s, other := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("one", "two")...)})
	list, first := changes(t, other, 0, 0)
	same(t, "of a new session", sorted(list), []string{"a0", "a1"})

	with(t, other, map[session.Ref]session.Projection{ref("b"): telling(ref("b"), said("one")...)})
	list, second := changes(t, s, first, 0)
	same(t, "of another", list, []string{"b0"})
	list, _ = changes(t, s, 0, 0)
	same(t, "all", sorted(list), []string{"a0", "a1", "b0"})

	part := telling(ref("a"), said("one", "two and more", "three")...)
	part.From, part.Sessions[0].Traces = 1, part.Sessions[0].Traces[1:]
	grow(t, s, ref("a"), part)
	list, _ = changes(t, other, second, 0)
	same(t, "of a part", sorted(list), []string{"a1", "a2"})
	list, _ = changes(t, other, 0, 0)
	same(t, "all, each once", sorted(list), []string{"a0", "a1", "a2", "b0"})
}

func testChangesPage(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	with(t, s, map[session.Ref]session.Projection{
		ref("a"): telling(ref("a"), said("1", "2", "3")...), ref("b"): telling(ref("b"), said("1", "2")...),
	})
	whole, last := changes(t, s, 0, 0)
	var paged []string
	for after := int64(0); ; {
		page, at := changes(t, s, after, 2)
		if len(page) > 2 {
			t.Fatalf("a page of 2 has %d", len(page))
		}
		if len(page) == 0 {
			break
		}
		paged, after = append(paged, page...), at
	}
	same(t, "in pages of 2", paged, whole)
	if list, _ := changes(t, s, last, 0); len(list) != 0 {
		t.Errorf("after the last: %v", list)
	}
}

// Sessions are projected often; what that does not change need not be made again.
func testChangesUnchanged(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	p := telling(ref("a"), []span{{text: "one"}, {kind: session.KindTool, text: "ls"}}, []span{{text: "two"}})
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): p})
	_, last := changes(t, s, 0, 0)

	grow(t, s, ref("a"), p)
	list, _ := changes(t, s, last, 0)
	same(t, "of the same projection", list, []string(nil))

	if _, err := s.Rederive(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	project(t, s, ref("a"), p)
	list, _ = changes(t, s, last, 0)
	same(t, "derived again", list, []string(nil))
	same(t, "found", found(t, s, everything, "one"), []string{spanID(ref("a"), 0, 0, "")})

	grow(t, s, ref("a"), telling(ref("a"), []span{{text: "one"}, {kind: session.KindTool, text: "ls"}}, []span{{text: "two"}}, []span{{text: "three"}}))
	list, last = changes(t, s, last, 0)
	same(t, "grown, projected whole", list, []string{"a2"})

	grow(t, s, ref("a"), telling(ref("a"), []span{{text: "one"}, {kind: session.KindTool, text: "ls -l"}}, []span{{text: "two"}}, []span{{text: "three"}}))
	list, _ = changes(t, s, last, 0)
	same(t, "one span differs", list, []string{"a0"})
}

func testChangesGone(t *testing.T, open OpenIndex) {
	s, other := open(t)
	r := ref("a")
	p := telling(r, said("one", "two")...)
	p.Sessions = append(p.Sessions, asSubagentOf(telling(r.Sub("t"), said("sub")...), r).Sessions[0])
	with(t, s, map[session.Ref]session.Projection{r: p, ref("b"): telling(ref("b"), said("one")...)})
	_, last := changes(t, s, 0, 0)

	grow(t, s, r, telling(r, said("one")...))
	gone, err := other.Changes(t.Context(), last, 0)
	if err != nil || len(gone) != 2 {
		t.Fatalf("%+v, %v; want the trace that is no longer derived, and that of a session that is not", gone, err)
	}
	want := map[string]string{traceID(r, 1): r.SessionID(), traceID(r.Sub("t"), 0): r.Sub("t").SessionID()}
	for _, change := range gone {
		if !change.Gone || want[change.TraceID] != change.SessionID {
			t.Errorf("%+v, want Gone, of one of %v", change, want)
		}
		last = max(last, change.Seq)
	}
	grow(t, s, r, p)
	back, err := s.Changes(t.Context(), last, 0)
	if err != nil || len(back) != 2 || back[0].Gone || back[1].Gone {
		t.Errorf("%+v, %v; want both traces back", back, err)
	}
	_, last = changes(t, s, last, 0)
	if _, err := s.Delete(t.Context(), ref("b").SessionID()); err != nil {
		t.Fatal(err)
	}
	list, _ := changes(t, other, last, 0)
	same(t, "of a deleted session", list, []string{"-b0"})
}

func testIndexState(t *testing.T, open OpenIndex) {
	s, other := open(t)
	with(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("1", "2", "3")...)})
	list, err := s.Changes(t.Context(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := list[2].Seq
	same(t, "before", indexState(t, other), store.IndexState{Latest: last, Behind: 3})

	put := func(upTo int64, trace int, texts ...string) {
		t.Helper()
		documents := store.TraceDocuments{TraceID: traceID(ref("a"), trace)}
		for i, text := range texts {
			documents.Documents = append(documents.Documents, document(spanID(ref("a"), trace, i, ""), text))
		}
		if err := s.PutDocuments(t.Context(), upTo, []store.TraceDocuments{documents}); err != nil {
			t.Fatal(err)
		}
	}
	put(list[1].Seq, 0, "1")
	same(t, "two followed", indexState(t, other), store.IndexState{Followed: list[1].Seq, Latest: last, Behind: 1, Documents: 1})
	put(last, 2, "3")
	same(t, "all followed", indexState(t, other), store.IndexState{Followed: last, Latest: last, Documents: 2})
	put(list[0].Seq, 1)
	same(t, "of a slower one", indexState(t, other), store.IndexState{Followed: last, Latest: last, Documents: 2})

	if _, err := s.Delete(t.Context(), ref("a").SessionID()); err != nil {
		t.Fatal(err)
	}
	state := indexState(t, other)
	same(t, "deleted", state, store.IndexState{Followed: last, Latest: state.Latest, Behind: 3})
	if state.Latest <= last {
		t.Errorf("Latest is %d after a deletion, %d before", state.Latest, last)
	}
	follow(t, s)
	same(t, "deleted and followed", indexState(t, s), store.IndexState{Followed: state.Latest, Latest: state.Latest})
}

package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testIdentity(t *testing.T, open OpenIndex) {
	s, other := open(t)
	identity := func(s IndexedStore) string {
		t.Helper()
		id, err := s.Identity(t.Context())
		if err != nil || len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("an identity: %q, %v; want 32 hexadecimal digits", id, err)
		}
		return id
	}
	if here, there := identity(s), identity(other); here != there {
		t.Errorf("one store is %q and %q", here, there)
	}
	another, _ := open(t)
	if identity(another) == identity(s) {
		t.Error("two stores have one identity")
	}
}

func testDocumentsByHash(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{
		ref("a"): telling(ref("a"), []span{{text: "same"}, {text: "own", at: day0 + day}}, []span{{text: "later"}}), ref("b"): telling(ref("b"), said("same")...),
	})
	got, err := other.TraceTexts(t.Context(), []string{traceID(ref("a"), 0), traceID(ref("b"), 0), traceID(ref("c"), 0), ""})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b store.TraceText) int { return strings.Compare(a.TraceID+a.Hash, b.TraceID+b.Hash) })
	want := []store.TraceText{
		{TraceID: traceID(ref("a"), 0), SessionID: ref("a").SessionID(), Hash: hashOf("same"), StartedAt: day0},
		{TraceID: traceID(ref("a"), 0), SessionID: ref("a").SessionID(), Hash: hashOf("own"), StartedAt: day0 + day},
		{TraceID: traceID(ref("b"), 0), SessionID: ref("b").SessionID(), Hash: hashOf("same"), StartedAt: day0},
	}
	slices.SortFunc(want, func(a, b store.TraceText) int { return strings.Compare(a.TraceID+a.Hash, b.TraceID+b.Hash) })
	same(t, "texts of traces", got, want)

	texts, err := other.TextsByHash(t.Context(), []string{hashOf("own"), hashOf("none"), "x", ""})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "texts by hash", texts, map[string]string{hashOf("own"): "own"})
}

func testDocumentsChosen(t *testing.T, open OpenIndex) {
	s := tellFiltered(t, open)
	hashes := []string{hashOf("no such text"), ""}
	for i := range 11 {
		hashes = append(hashes, hashOf(fmt.Sprint("word ", i+1)))
	}
	for _, c := range filterCases() {
		hits, err := s.ChosenHits(t.Context(), hashes, c.filter)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		same(t, c.name, sorted(spanIDs(t, hits)), c.want)
		var of []string
		for _, hit := range hits {
			of = append(of, hit.Hash)
		}
		got, many, err := s.ChosenHashes(t.Context(), c.filter, max(1, len(c.want)))
		if err != nil || many {
			t.Errorf("%s: hashes: many %v, %v", c.name, many, err)
		}
		same(t, c.name+", hashes", sorted(got), sorted(of))
		if len(c.want) > 0 {
			got, many, err = s.ChosenHashes(t.Context(), c.filter, len(c.want)-1)
			if err != nil || !many || len(got) != 0 {
				t.Errorf("%s: more than are asked for: %v, many %v, %v", c.name, got, many, err)
			}
		}
	}
	hits, err := s.ChosenHits(t.Context(), []string{hashOf("word 1")}, everything)
	if err != nil || len(hits) != 1 {
		t.Fatalf("%+v, %v; want one hit", hits, err)
	}
	same(t, "a hit", hits[0], store.IndexHit{
		SpanID: spanID(ref("a"), 0, 0, ""), TraceID: traceID(ref("a"), 0), SessionID: ref("a").SessionID(), Kind: session.KindLLM,
		Model: "Claude-A", StartedAt: day0, Hash: hashOf("word 1"),
	})
	if _, err := s.ChosenHits(t.Context(), hashes, store.IndexFilter{Scope: "none"}); err == nil {
		t.Error("a scope that is none was taken")
	}
	if _, _, err := s.ChosenHashes(t.Context(), store.IndexFilter{Scope: "none"}, 9); err == nil {
		t.Error("a scope that is none was taken")
	}
}

func testGenerationsDropped(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple")...)})
	g := generation(t, s, "m", 2)
	putVectors(t, s, g, map[string][]float32{"apple": {1, 0}})
	if err := other.DropGenerations(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list := generations(t, s); len(list) != 0 {
		t.Errorf("%+v, want none", list)
	}
	indexed(t, s, map[session.Ref]session.Projection{ref("b"): telling(ref("b"), said("pear")...)})
	same(t, "words", sorted(found(t, s, everything, "apple", "pear")), sorted([]string{spanID(ref("a"), 0, 0, ""), spanID(ref("b"), 0, 0, "")}))
	sound(t, s)
}

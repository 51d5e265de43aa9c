package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// sessionsOf are identifiers of streams' sessions, in order.
func sessionsOf(refs ...session.Ref) []string {
	var ids []string
	for _, r := range refs {
		ids = append(ids, r.SessionID())
	}
	slices.Sort(ids)
	return ids
}

// appendFamily appends the streams of family: the parents of sub1 and deep are
// facts, sub2 is one by its ref and has no facts.
func appendFamily(t *testing.T, s store.Store) (sub2 session.Ref) {
	t.Helper()
	sub2 = ref("p").Sub("sub2")
	appendTo(t, s,
		batch(ref("p"), record("p", 1)), childBatch(ref("sub1"), ref("p"), record("1", 1)), batch(sub2, record("2", 1)),
		childBatch(ref("deep"), ref("sub1"), record("d", 1)), batch(ref("fork"), record("f", 1)), batch(ref("p2"), record("n", 1)))
	for r, p := range family() {
		if r.Key != "sub2" {
			project(t, s, r, p)
		}
	}
	project(t, s, sub2, derived(sub2, turn{"two", "m", day0, 1, 1}))
	project(t, s, ref("p2"), derived(ref("p2")))
	return sub2
}

func testDelete(t *testing.T, open Open) {
	s, other := open(t)
	clean, _ := open(t)
	sub2 := appendFamily(t, s)
	if _, err := s.Rename(t.Context(), ref("sub1").SessionID(), "a name"); err != nil {
		t.Fatal(err)
	}
	gone, err := s.Delete(t.Context(), ref("p").SessionID()[:10])
	if err != nil {
		t.Fatal(err)
	}
	deleted := []session.Ref{ref("p"), ref("sub1"), sub2, ref("deep")}
	same(t, "gone", gone, sessionsOf(deleted...))
	for _, r := range deleted {
		if _, err := other.Session(t.Context(), r.SessionID()); !isNotFound(err) {
			t.Errorf("%v: %v, want ErrNotFound", r, err)
		}
		if streamOf(t, s, r) != nil {
			t.Errorf("the stream %v is there", r)
		}
		if _, err := s.Raw(t.Context(), r.SessionID(), false, store.Page{}); !isNotFound(err) {
			t.Errorf("raw records of %v: %v, want ErrNotFound", r, err)
		}
	}
	if _, err := s.Delete(t.Context(), ref("p").SessionID()); !isNotFound(err) {
		t.Errorf("deleted again: %v, want ErrNotFound", err)
	}
	sound(t, s)
	for _, r := range []session.Ref{ref("fork"), ref("p2")} {
		appendTo(t, clean, batch(r, record(map[string]string{"fork": "f", "p2": "n"}[r.Key], 1)))
	}
	project(t, clean, ref("fork"), family()[ref("fork")])
	project(t, clean, ref("p2"), derived(ref("p2")))
	sameButTombstones(t, clean, s)

	if _, err := s.Delete(t.Context(), ref("fork").SessionID()); err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, batch(ref("not derived"), record("1", 1)))
	gone, err = s.Delete(t.Context(), ref("not derived").SessionID())
	if err != nil || streamOf(t, s, ref("not derived")) != nil {
		t.Errorf("what was not derived yet: %v, %v", gone, err)
	}
	same(t, "gone of what was not derived yet", gone, sessionsOf(ref("not derived")))
	sound(t, s)
}

// sameButTombstones compares what two stores list.
func sameButTombstones(t *testing.T, want, got store.Store) {
	t.Helper()
	var texts [2]string
	for i, s := range []store.Store{want, got} {
		d := dump{ctx: t.Context(), store: s}
		for _, part := range []func() error{d.streams, d.sessions, d.stats} {
			if err := part(); err != nil {
				t.Fatal(err)
			}
		}
		texts[i] = d.text.String()
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("a store that never held what was deleted differs (-want +got):\n%s", diff)
	}
}

func testDeleteShared(t *testing.T, open Open) {
	s, _ := open(t)
	shared := session.Record{Key: "same body", Order: 5, Body: awkward()["long text"]}
	appendTo(t, s,
		batch(ref("a"), copied("1", 1), shared, about("title", "2")),
		batch(ref("b"), copied("1", 1), copied("2", 2), shared))
	for _, key := range []string{"a", "b"} {
		project(t, s, ref(key), derived(ref(key)))
	}
	before := streamOf(t, s, ref("b"))
	if _, err := s.Delete(t.Context(), ref("a").SessionID()); err != nil {
		t.Fatal(err)
	}
	if got := bodyOf(t, s, ref("b"), "same body"); got != string(shared.Body) {
		t.Errorf("a body that another stream holds is gone: %d bytes", len(got))
	}
	after := streamOf(t, s, ref("b"))
	if after.Shared || after.Version == before.Version || after.Fresh != (session.Place{}) {
		t.Errorf("what shared records with a deleted stream is to be derived again: %+v", after)
	}
	if got, want := keys(t, s, ref("b"), session.Place{}), "1 2 same body"; got != want {
		t.Errorf("b has %s, want %s", got, want)
	}
	sound(t, s)
}

func testDeleteInside(t *testing.T, open Open) {
	s, _ := open(t)
	p := derived(ref("a"))
	p.Sessions = append(p.Sessions, asSubagentOf(derived(ref("a").Sub("t")), ref("a")).Sessions[0])
	with(t, s, map[session.Ref]session.Projection{ref("a"): p})
	if _, err := s.Delete(t.Context(), ref("a").Sub("t").SessionID()); !errors.Is(err, store.ErrInside) {
		t.Errorf("a thread's session: %v, want ErrInside", err)
	}
	gone, err := s.Delete(t.Context(), ref("a").SessionID())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "gone", gone, sessionsOf(ref("a"), ref("a").Sub("t")))
	sound(t, s)
}

func testTombstones(t *testing.T, open Open) {
	s, other := open(t)
	sub2 := appendFamily(t, s)
	if _, err := s.Delete(t.Context(), ref("p").SessionID()); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]store.Batch{
		"the session":              batch(ref("p"), record("p", 1), record("new", 2)),
		"a sub-agent":              batch(ref("sub1"), record("1", 1), record("new", 2)),
		"one by its ref":           batch(sub2, record("x", 1), record("y", 2)),
		"one that was not known":   childBatch(ref("late"), ref("p"), record("l", 1), record("m", 1)),
		"its sub-agent":            childBatch(ref("later"), ref("late"), record("l", 1), record("m", 1)),
		"one by its ref, later":    batch(ref("p").Sub("x").Sub("y"), record("l", 1), record("m", 1)),
		"again, without its facts": batch(ref("late"), record("l", 1), record("m", 1)),
	} {
		if name == "again, without its facts" || name == "its sub-agent" {
			appendTo(t, s, childBatch(ref("late"), ref("p")))
		}
		if got, want := appendTo(t, other, b), (store.Appended{Deleted: 2}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if got, want := appendTo(t, s, batch(ref("p2"), record("new", 9))), (store.Appended{New: 1}); got != want {
		t.Errorf("a stream whose key begins with the deleted one's: %+v, want %+v", got, want)
	}
	appendTo(t, s, batch(ref("orphan"), record("o", 1)))
	if got := appendTo(t, s, childBatch(ref("orphan"), ref("sub1"), record("o2", 1))); got.Deleted != 1 || streamOf(t, s, ref("orphan")) != nil {
		t.Errorf("a stream that turns out to be a sub-agent's: %+v", got)
	}
	sound(t, s)
}

func testRestore(t *testing.T, open Open) {
	s, _ := open(t)
	from := func(path string, b store.Batch) store.Batch {
		b.Source = &store.Source{Path: path, Harness: harness, Offset: 10}
		return b
	}
	load := func() {
		appendTo(t, s,
			from("/p", batch(ref("p"), record("1", 1))), from("/sub", childBatch(ref("sub"), ref("p"), record("1", 1))),
			from("/q", batch(ref("q"), record("1", 1))), from("/r", batch(ref("r"), record("1", 1))))
	}
	load()
	for _, key := range []string{"p", "q"} {
		if _, err := s.Delete(t.Context(), ref(key).SessionID()); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, s, from("/copy of p", batch(ref("p"), record("1", 1))))
	paths := func() []string {
		t.Helper()
		sources, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for path := range sources {
			paths = append(paths, path)
		}
		slices.Sort(paths)
		return paths
	}
	restore := func(want int, refs ...session.Ref) {
		t.Helper()
		if got, err := s.Restore(t.Context(), refs...); err != nil || got != want {
			t.Errorf("restore %v: %d, %v; want %d", refs, got, err, want)
		}
	}
	restore(0, ref("none"), ref("r"))
	same(t, "sources", paths(), []string{"/copy of p", "/p", "/q", "/r", "/sub"})
	restore(2, ref("p"))
	same(t, "sources", paths(), []string{"/q", "/r"})
	if streamOf(t, s, ref("p")) != nil {
		t.Error("a restored stream is there before its records are")
	}
	restore(1)
	same(t, "sources", paths(), []string{"/r"})
	sound(t, s)
	load()
	fresh, _ := open(t)
	saved := s
	s = fresh
	load()
	sameDumps(t, fresh, saved)
	sound(t, saved)
}

func testInfo(t *testing.T, open Open) {
	s, _ := open(t)
	appendTo(t, s, batch(ref("a"), record("1", 1), record("2", 2)), batch(ref("b"), record("1", 1)), batch(ref("c"), record("1", 1)))
	project(t, s, ref("a"), derived(ref("a")))
	if _, err := s.Delete(t.Context(), ref("c").SessionID()); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Kind == "" || info.Location == "" || info.Server == "" || info.Schema < 1 || info.Bytes < 1 {
		t.Errorf("the store: %+v", info)
	}
	got := [...]int64{info.Streams, info.Records, info.Sessions, info.Pending, info.Deleted}
	if want := [...]int64{2, 3, 1, 1, 1}; got != want {
		t.Errorf("streams, records, sessions, pending, deleted: %v, want %v", got, want)
	}
}

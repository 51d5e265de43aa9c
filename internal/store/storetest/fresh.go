package storetest

import (
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testFresh(t *testing.T, open Open) {
	everything := session.Place{}
	place := func(r session.Record) session.Place { return r.Place() }
	moved := record("m", 60)
	moved.Pos = 1
	newer := record("v", 80)
	newer.Version = 1
	cases := []struct {
		name    string
		batches []store.Batch
		want    session.Place
	}{
		{"nothing new", nil, store.AfterAll},
		{"known records", []store.Batch{batch(ref("a"), record("1", 1))}, store.AfterAll},
		{"one at the end", []store.Batch{batch(ref("a"), record("9", 90))}, place(record("9", 90))},
		{"the first of several", []store.Batch{batch(ref("a"), record("9", 90), record("5", 50)), batch(ref("a"), record("95", 95))},
			place(record("5", 50))},
		{"one without a place", []store.Batch{batch(ref("a"), record("title", 0))}, store.AfterAll},
		{"one in another stream", []store.Batch{batch(ref("b"), record("9", 9))}, store.AfterAll},
		{"one that moved", []store.Batch{batch(ref("a"), moved)}, place(moved)},
		{"a version that counts instead", []store.Batch{batch(ref("a"), newer)}, place(record("v", 70))},
		{"one about its own", []store.Batch{batch(ref("b"), about("title", "o"))}, store.AfterAll},
		{"an origin that another stream tells of", []store.Batch{
			batch(ref("b"), session.Record{Key: "note", About: "p", Order: 40, Body: []byte("x")}),
			batch(ref("a"), copied("p", 90)),
		}, session.Place{Order: 40, Key: "note"}},
		{"an origin that it shares", []store.Batch{batch(ref("b"), copied("o", 3))}, everything},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, other := open(t)
			appendTo(t, s, batch(ref("a"), record("1", 1), copied("o", 3), record("m", 60), record("v", 70)))
			if got := streamOf(t, s, ref("a")).Fresh; got != everything {
				t.Errorf("of a new stream: %+v, want the zero place", got)
			}
			project(t, s, ref("a"), derived(ref("a")))
			appendTo(t, other, c.batches...)
			stream := streamOf(t, s, ref("a"))
			if stream.Fresh != c.want {
				t.Errorf("fresh from %+v, want %+v", stream.Fresh, c.want)
			}
			if string(stream.Checkpoints) != "at 0" || stream.Deriver != deriver {
				t.Errorf("of the last derivation: %q, %q", stream.Checkpoints, stream.Deriver)
			}
			project(t, s, ref("a"), derived(ref("a")))
			if got := streamOf(t, s, ref("a")); got.Fresh != store.AfterAll || got.Derived != got.Version {
				t.Errorf("derived again: %+v", got)
			}
		})
	}
}

// siblingsOf are a stream's siblings by key.
func siblingsOf(t *testing.T, s store.Store, r session.Ref) map[string]store.Sibling {
	t.Helper()
	list, err := s.Siblings(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	siblings := map[string]store.Sibling{}
	for i, b := range list {
		siblings[b.Stream.Ref.Key] = b
		if i > 0 && list[i-1].Stream.Ref.Key >= b.Stream.Ref.Key {
			t.Errorf("%s stands behind %s", b.Stream.Ref, list[i-1].Stream.Ref)
		}
	}
	return siblings
}

func testSiblings(t *testing.T, open Open) {
	s, _ := open(t)
	appendTo(t, s,
		batch(ref("a"), copied("1", 10), copied("2", 20), record("a's", 30), record("title", 0)),
		batch(ref("b"), copied("1", 10), copied("2", 20), copied("b's", 40), copied("3", 50)),
		batch(ref("c"), copied("3", 50)),
		batch(ref("d"), record("1", 10)))
	got := siblingsOf(t, s, ref("a"))
	if len(got) != 1 || got["b"].FirstOwn != 30 || got["b"].FirstOwnOther != 40 {
		t.Errorf("of a: %+v", got)
	}
	same(t, "what a and b share", got["b"].Shared, map[string]bool{"1": true, "2": true})
	got = siblingsOf(t, s, ref("b"))
	if len(got) != 2 || got["a"].FirstOwn != 40 || got["a"].FirstOwnOther != 30 || got["c"].FirstOwn != 10 || got["c"].FirstOwnOther != 0 {
		t.Errorf("of b: %+v", got)
	}
	for key, shared := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if got := streamOf(t, s, ref(key)).Shared; got != shared {
			t.Errorf("%s shares origins: %v, want %v", key, got, shared)
		}
	}
	if got := siblingsOf(t, s, ref("d")); len(got) != 0 {
		t.Errorf("of d: %+v", got)
	}
	sound(t, s)
}

// What a stream's derivation takes from its siblings can change when they do.
func testSiblingsChange(t *testing.T, open Open) {
	parent := ref("p")
	cases := []struct {
		name  string
		batch store.Batch
		again bool // a must be derived again, from its start
	}{
		{"more shared records", batch(ref("b"), copied("2", 20)), true},
		{"the first own record of the other", batch(ref("b"), record("b's", 40)), true},
		{"an own record before what was the first", batch(ref("c"), record("c's", 30)), true},
		{"an own record behind it", batch(ref("c"), record("c's", 60)), false},
		{"facts of the other", childBatch(ref("b"), parent), true},
		{"an unrelated stream", batch(ref("d"), copied("9", 9)), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t)
			appendTo(t, s,
				batch(ref("a"), copied("1", 10), copied("2", 20), record("a's", 30)),
				batch(ref("b"), copied("1", 10)),
				batch(ref("c"), copied("1", 10), record("c's first", 50)))
			for _, key := range []string{"a", "b", "c"} {
				project(t, s, ref(key), derived(ref(key)))
			}
			before := streamOf(t, s, ref("a"))
			appendTo(t, s, c.batch)
			after := streamOf(t, s, ref("a"))
			if again := after.Version != before.Version && after.Fresh == (session.Place{}); again != c.again {
				t.Errorf("a is to be derived again: %v, want %v (%+v)", again, c.again, after)
			}
		})
	}
}

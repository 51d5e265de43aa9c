package storetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testEmpty(t *testing.T, open Open) {
	s, _ := open(t)
	if got := sessionIDs(t, s, everySession); len(got) != 0 {
		t.Errorf("sessions: %v", got)
	}
	list, err := s.Sessions(t.Context(), store.SessionFilter{}, store.Page{})
	if err != nil || list.Items == nil || list.Total != 0 || list.Next != "" {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	stats, err := s.Stats(t.Context(), store.SessionFilter{}, store.ByDay)
	if err != nil || stats.Groups == nil || stats.Total != (store.StatsRow{}) {
		t.Errorf("stats: %+v, %v", stats, err)
	}
	if got := keys(t, s, ref("none"), session.Place{}); got != "" {
		t.Errorf("records of a stream that is not there: %v", got)
	}
	if _, err := Dump(t.Context(), s); err != nil {
		t.Error(err)
	}
	sound(t, s)
}

// awkward are bodies that a database may refuse or change.
func awkward() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 700_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{
		"empty":           {},
		"nul":             []byte("a\x00b\x00"),
		"invalid":         []byte("\xff\xfe {\"a\":\"\xc3\"}"),
		"lone surrogate":  []byte(`{"a":"\ud800"}`),
		"raw surrogate":   []byte("\xed\xa0\x80"),
		"emoji":           []byte(`{"a":"🙈👩‍👩‍👧"}`),
		"BOM and CRLF":    []byte("\ufeff{}\r\n"),
		"4096 bytes":      bytes.Repeat([]byte("x"), 4096),
		"4097 bytes":      bytes.Repeat([]byte("x"), 4097),
		"long noise":      noise,
		"long and boring": bytes.Repeat([]byte{0}, 3_000_000),
		"long text":       []byte(strings.Repeat("all work and no play makes a dull boy. ", 40_000)),
	}
}

func testExact(t *testing.T, open Open) {
	s, other := open(t)
	want := map[string]session.Record{}
	b := batch(ref("a"))
	for name, body := range awkward() {
		r := session.Record{
			Key: "key of " + name + " \uFFFD🙈", Version: int64(len(want)), Origin: "origin of " + name,
			Order: int64(1000 + len(want)), Pos: 1 << 40, At: 1_767_225_600_123, Body: body,
		}
		want[r.Key] = r
		b.Streams[0].Records = append(b.Streams[0].Records, r)
	}
	if got := appendTo(t, s, b); got != (store.Appended{New: len(want)}) {
		t.Errorf("appended: %+v", got)
	}
	n := 0
	for r, err := range other.Records(t.Context(), ref("a"), session.Place{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		w := want[r.Key]
		if !bytes.Equal(r.Body, w.Body) {
			t.Errorf("%s: %d bytes came back as %d others", r.Key, len(w.Body), len(r.Body))
		}
		r.Body, w.Body = nil, nil
		same(t, r.Key, r, w)
	}
	if n != len(want) {
		t.Errorf("%d records came back of %d", n, len(want))
	}
	testRaw(t, other, want)
	sound(t, s)
}

func testRaw(t *testing.T, s store.Store, want map[string]session.Record) {
	t.Helper()
	for _, withBodies := range []bool{false, true} {
		for _, r := range all(t, 5, func(p store.Page) (store.List[store.RawRecord], error) {
			return s.Raw(t.Context(), ref("a").SessionID(), withBodies, p)
		}) {
			w := want[r.Key]
			sum := sha256.Sum256(w.Body)
			if r.Version != w.Version || r.At != w.At || r.Bytes != int64(len(w.Body)) || r.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("raw %s: %+v", r.Key, r)
			}
			if withBodies && (r.Body == nil || !bytes.Equal(r.Body, w.Body)) || !withBodies && r.Body != nil {
				t.Errorf("raw %s: %d bytes of body", r.Key, len(r.Body))
			}
		}
	}
	if _, err := s.Raw(t.Context(), ref("none").SessionID(), false, store.Page{}); !isNotFound(err) {
		t.Errorf("raw of no session: %v, want ErrNotFound", err)
	}
}

func testOnce(t *testing.T, open Open) {
	s, other := open(t)
	b := batch(ref("a"), record("1", 1), record("2", 2), record("1", 1))
	if got, want := appendTo(t, s, b), (store.Appended{New: 2, Known: 1}); got != want {
		t.Errorf("first: %+v, want %+v", got, want)
	}
	before := streamOf(t, s, ref("a"))
	if before == nil || before.Records != 2 || before.Version == 0 || before.Derived != 0 || before.Shared {
		t.Errorf("stream: %+v", before)
	}
	if got, want := appendTo(t, other, b), (store.Appended{Known: 3}); got != want {
		t.Errorf("again: %+v, want %+v", got, want)
	}
	same(t, "the stream after nothing new", streamOf(t, s, ref("a")), before)
	if got, want := appendTo(t, s, batch(ref("b"), record("1", 1))), (store.Appended{New: 1}); got != want {
		t.Errorf("in another stream: %+v, want %+v", got, want)
	}
	if got, want := appendTo(t, s, batch(ref("a"), record("3", 3))), (store.Appended{New: 1}); got != want {
		t.Errorf("more: %+v, want %+v", got, want)
	}
	if after := streamOf(t, s, ref("a")); after.Version <= before.Version || after.Records != 3 {
		t.Errorf("the stream after a new record: %+v", after)
	}
	sound(t, s)
}

// Of several records with one key, the one with the highest version counts, then
// the longest, then the one whose hash sorts last.
func testVersions(t *testing.T, open Open) {
	version := func(n int64, body string) session.Record {
		return session.Record{Key: "k", Version: n, Order: n + 1, Pos: 1, Body: []byte(body)}
	}
	first, second := "aa", "bb"
	if sumOf(first) > sumOf(second) {
		first, second = second, first
	}
	cases := map[string][]session.Record{ // the last counts
		"the highest version":       {version(1, "longer than the other"), version(2, "short")},
		"the longest":               {version(1, "short"), version(1, "longer")},
		"the one that sorts last":   {version(1, first), version(1, second)},
		"three of different worths": {version(1, "xx"), version(1, "xxx"), version(3, "x")},
	}
	for name, records := range cases {
		t.Run(name, func(t *testing.T) {
			want := string(records[len(records)-1].Body)
			for _, backwards := range []bool{false, true} {
				s, _ := open(t)
				for i := range records {
					if backwards {
						i = len(records) - 1 - i
					}
					appendTo(t, s, batch(ref("a"), record("before", 0), records[i]))
				}
				if got := bodyOf(t, s, ref("a"), "k"); got != want {
					t.Errorf("backwards %v: %q counts, want %q", backwards, got, want)
				}
				if got := streamOf(t, s, ref("a")).Records; got != 2 {
					t.Errorf("backwards %v: %d keys, want 2", backwards, got)
				}
				raw := all(t, 1, func(p store.Page) (store.List[store.RawRecord], error) {
					return s.Raw(t.Context(), ref("a").SessionID(), false, p)
				})
				if len(raw) != len(records)+1 {
					t.Errorf("backwards %v: %d raw records, want %d", backwards, len(raw), len(records)+1)
				}
				sound(t, s)
			}
		})
	}
}

func sumOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return string(sum[:])
}

// bodyOf is the body of the record that counts.
func bodyOf(t *testing.T, s store.Store, ref session.Ref, key string) string {
	t.Helper()
	var bodies []string
	for r, err := range s.Records(t.Context(), ref, session.Place{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Key == key {
			bodies = append(bodies, string(r.Body))
		}
	}
	if len(bodies) != 1 {
		t.Fatalf("%d records with key %q: %q", len(bodies), key, bodies)
	}
	return bodies[0]
}

func testOrder(t *testing.T, open Open) {
	s, _ := open(t)
	place := func(key string, order, pos int64) session.Record {
		return session.Record{Key: key, Order: order, Pos: pos, Body: []byte(key)}
	}
	appendTo(t, s, batch(ref("a"),
		place("z", 5, 1), place("y", 5, 1), place("x", 5, 0), place("w", 3, 9),
		place("title", 0, 7), place("branch", 0, 2), place("é", 5, 1), place("Y", 5, 1)))
	for _, c := range []struct {
		from session.Place
		want string
	}{
		{session.Place{}, "branch title w x Y y z é"},
		{session.Place{Order: 3, Pos: 9, Key: "w"}, "branch title w x Y y z é"},
		{session.Place{Order: 3, Pos: 9, Key: "x"}, "branch title x Y y z é"},
		{session.Place{Order: 4}, "branch title x Y y z é"},
		{session.Place{Order: 5, Pos: 1, Key: "y"}, "branch title y z é"},
		{session.Place{Order: 6}, "branch title"},
		{store.AfterAll, "branch title"},
	} {
		if got := keys(t, s, ref("a"), c.from); got != c.want {
			t.Errorf("from %+v: %s, want %s", c.from, got, c.want)
		}
	}
}

func testLeastPlace(t *testing.T, open Open) {
	s, _ := open(t)
	at := func(pos int64) store.Batch {
		r := record("k", 7)
		r.Pos = pos
		return batch(ref("a"), r)
	}
	appendTo(t, s, at(30), at(10), at(20))
	for r, err := range s.Records(t.Context(), ref("a"), session.Place{}) {
		if err != nil || r.Pos != 10 {
			t.Errorf("pos %d, %v; want 10", r.Pos, err)
		}
	}
	sound(t, s)
}

func testAbout(t *testing.T, open Open) {
	s, _ := open(t)
	appendTo(t, s,
		batch(ref("a"), copied("x", 1), record("own", 2)),
		batch(ref("b"), about("title of x", "x"), about("title of nothing", "nothing"), record("b's", 1)),
		batch(ref("c"), about("title of x", "x"), copied("x", 1), about("another", "c's"), copied("c's", 5)))
	for r, want := range map[session.Ref]string{
		ref("a"): "title of x x own",
		ref("b"): "b's",
		ref("c"): "another title of x x c's",
	} {
		if got := keys(t, s, r, session.Place{}); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
	project(t, s, ref("a"), derived(ref("a")))
	before := streamOf(t, s, ref("a"))
	appendTo(t, s, batch(ref("b"), about("new title", "x")))
	after := streamOf(t, s, ref("a"))
	if after.Version == before.Version {
		t.Error("a record about one of its own does not change a stream")
	}
	if got, want := keys(t, s, ref("a"), store.AfterAll), "new title title of x"; got != want {
		t.Errorf("a after the new title: %s, want %s", got, want)
	}
	appendTo(t, s, batch(ref("b"), copied("nothing", 3)))
	if got, want := keys(t, s, ref("b"), session.Place{}), "title of nothing b's nothing"; got != want {
		t.Errorf("b when it holds what was told of: %s, want %s", got, want)
	}
	testAboutVersions(t, s)
	sound(t, s)
}

// Of records with one key in several streams one counts.
func testAboutVersions(t *testing.T, s store.Store) {
	t.Helper()
	title := func(version int64, body string) session.Record {
		return session.Record{Key: "t", Version: version, About: "m", Body: []byte(body)}
	}
	appendTo(t, s,
		batch(ref("m"), copied("m", 1), title(1, "old")),
		batch(ref("n"), title(3, "newest")),
		batch(ref("o"), title(2, "newer")))
	if got := bodyOf(t, s, ref("m"), "t"); got != "newest" {
		t.Errorf("%q counts of three titles with one key, want the newest", got)
	}
}

func testFacts(t *testing.T, open Open) {
	s, _ := open(t)
	parent, fork := ref("p"), ref("f")
	facts := func(f session.StreamFacts) store.Batch {
		return store.Batch{Streams: []store.StreamRecords{{Ref: ref("a"), Facts: f}}}
	}
	appendTo(t, s, batch(ref("a"), record("1", 1)))
	project(t, s, ref("a"), derived(ref("a")))
	before := streamOf(t, s, ref("a"))
	appendTo(t, s, facts(session.StreamFacts{Parent: &parent}))
	after := streamOf(t, s, ref("a"))
	if after.Version == before.Version || after.Fresh != (session.Place{}) {
		t.Errorf("facts change nothing: %+v", after)
	}
	appendTo(t, s, facts(session.StreamFacts{ForkedFrom: &fork}), facts(session.StreamFacts{}))
	same(t, "facts", streamOf(t, s, ref("a")).Facts, session.StreamFacts{Parent: &parent, ForkedFrom: &fork})
	earlier, later := ref("a parent"), ref("z parent")
	appendTo(t, s, facts(session.StreamFacts{Parent: &later}), facts(session.StreamFacts{Parent: &earlier}),
		facts(session.StreamFacts{Parent: &later}))
	same(t, "facts that disagree", streamOf(t, s, ref("a")).Facts.Parent, &earlier)
}

func testSources(t *testing.T, open Open) {
	s, other := open(t)
	source := store.Source{
		Path: "/logs/é.jsonl", Harness: harness, Size: 1 << 40, ModTime: 1_767_225_600_123_456_789,
		Offset: 77, State: []byte{0, 1}, Tail: "ab", Report: []byte(`{"lost":1}`),
	}
	b := batch(ref("a"), record("1", 1))
	b.Source = &source
	appendTo(t, s, b)
	grown := source
	grown.Offset, grown.State, grown.Complete = 99, nil, true
	appendTo(t, s, store.Batch{Source: &grown})
	second := store.Source{Path: "/logs/b.jsonl", Harness: "codex"}
	appendTo(t, s, store.Batch{Source: &second})
	got, err := other.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]store.Source{grown.Path: grown, second.Path: second}
	if diff := cmp.Diff(want, got, cmp.Transformer("text", func(b []byte) string { return string(b) })); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// The same records in any order, repeated and in any portions, through two
// handles, are one store.
func testArrival(t *testing.T, open Open) {
	portions := assorted()
	var want string
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 3))
		first, second := open(t)
		todo := append([]store.StreamRecords{}, portions...)
		if seed > 0 {
			todo = append(todo, portions[:len(portions)/2]...)
			random.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
		}
		for len(todo) > 0 {
			n := min(1+random.IntN(9), len(todo))
			s := first
			if random.IntN(2) == 0 {
				s = second
			}
			appendTo(t, s, store.Batch{Streams: todo[:n]})
			todo = todo[n:]
		}
		got, err := Dump(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		if seed == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-in order +shuffled):\n%s", seed, diff)
		}
		sound(t, first)
	}
}

// assorted are records of all sorts, one at a time.
func assorted() []store.StreamRecords {
	parent := ref("s0")
	var portions []store.StreamRecords
	one := func(r session.Ref, f session.StreamFacts, records ...session.Record) {
		portions = append(portions, store.StreamRecords{Ref: r, Facts: f, Records: records})
	}
	for i := range 12 {
		for k := range 4 { // each stream holds what the one before holds, and more
			if i < 3*(k+1) {
				one(ref(fmt.Sprint("s", k)), session.StreamFacts{}, copied(fmt.Sprint("shared", i), int64(10+i)))
			}
		}
		r := record(fmt.Sprint("own", i), int64(100+i))
		for pos := range int64(3) {
			r.Pos = 3 - pos
			one(ref("s1"), session.StreamFacts{}, r)
		}
		for version := range int64(3) {
			one(ref("s2"), session.StreamFacts{}, session.Record{
				Key: fmt.Sprint("v", i), Version: version, Order: 200 + version, Body: []byte(strings.Repeat("v", int(version)+i)),
			})
		}
		one(ref(fmt.Sprint("s", i%5)), session.StreamFacts{}, about(fmt.Sprint("title", i), fmt.Sprint("shared", i%7)))
	}
	one(ref("s3"), session.StreamFacts{Parent: &parent})
	one(parent.Sub("x"), session.StreamFacts{Parent: &parent}, record("sub", 1))
	return portions
}

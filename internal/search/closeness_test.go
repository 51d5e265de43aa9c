package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClosePairs(t *testing.T) {
	const query = "How is an open file handled?" // open file, file handled
	for _, c := range []struct {
		text string
		want []int
	}{
		{"", []int{0, 0}},
		{"file", []int{0, 0}},
		{"to open files", []int{1, 0}},
		{"handling of files", []int{0, 1}},
		{"Open_Handle", []int{0, 0}}, // do not follow each other in the query
		{"a FileOpen is no word of it, File.Open is", []int{1, 0}},
		{"open file handling", []int{1, 1}},
		{"open the very first file", []int{1, 0}},
		{"open what was closed long before: file", []int{0, 0}},
		{"open open file", []int{1, 0}},
		{"an open file stays there until it is opened by a file", []int{2, 0}},
		{"öpen 文件 → file, 文件", []int{0, 0}},
	} {
		if diff := cmp.Diff(c.want, parseQuery(query).closePairs(c.text)); diff != "" {
			t.Errorf("in %q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestCloseness(t *testing.T) {
	for name, c := range map[string]struct {
		counts [][]int
		better [][2]int // texts, of which the first has the greater value
		none   bool
	}{
		"none":                   {counts: [][]int{{0, 0}, {0, 0}}, none: true},
		"some":                   {counts: [][]int{{0, 0}, {0, 1}}, better: [][2]int{{1, 0}}},
		"two pairs":              {counts: [][]int{{9, 0}, {1, 1}}, better: [][2]int{{1, 0}}},
		"more often":             {counts: [][]int{{3}, {4}, {0}}, better: [][2]int{{1, 0}, {0, 2}}},
		"a pair that is seldom":  {counts: [][]int{{1, 0}, {1, 0}, {1, 0}, {0, 1}}, better: [][2]int{{3, 0}}},
		"a pair that all have":   {counts: [][]int{{1, 0}, {1, 1}}, better: [][2]int{{1, 0}}},
		"all have it, one often": {counts: [][]int{{1}, {2}}, better: [][2]int{{1, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			values, most := closeness(c.counts)
			if most != slices.Max(values) || slices.Min(values) < 0 || c.none != (most == 0) {
				t.Errorf("values are %v, the greatest %v", values, most)
			}
			for _, b := range c.better {
				if values[b[0]] <= values[b[1]] {
					t.Errorf("values are %v; want that of %d above that of %d", values, b[0], b[1])
				}
			}
		})
	}
}

// Of documents that have the same words, those come first in which they stand
// together as in the query; not by much, and not where only meaning is searched.
func TestWordsThatStandTogetherComeFirst(t *testing.T) {
	f := newFakeStore()
	apart := f.say("s1", "the handle was bent", "so we could not lift it before anyone had time to look for a file to smooth it")
	near := f.say("s1", "see below", "what we do about a file handle which leaks, and how anyone may find the cause in time")
	for i := range 40 {
		f.say("s1", fmt.Sprintf("file %d", i), "is of another kind, "+strings.Repeat("and longer ", 10+i))
	}
	s := indexed(t, f, newFakeEmbedder())
	for _, mode := range []string{ModeHybrid, ModeLexical} {
		answer := search(t, s, Request{Query: "file handle", Mode: mode})
		if got := spansOf(answer); !slices.Equal(got[:2], []string{near, apart}) {
			t.Errorf("%s: the first are %v; want %s, %s", mode, got, near, apart)
		}
		if got := answer.Results[1].Score / answer.Results[0].Score; got < 1-2*closeWeight {
			t.Errorf("%s: the second has %.2f of the first's score", mode, got)
		}
	}
	if got := search(t, s, Request{Query: "file handle", Mode: ModeLexical, TopK: 1}).Results[0].SpanID; got != near {
		t.Errorf("alone comes %s; want %s", got, near)
	}
}

// Copies of one text are looked at once: they leave others their places.
func TestCopiesAreLookedAtOnce(t *testing.T) {
	f := newFakeStore()
	for range 2 * closeLooked {
		f.say("s1", "a handle", "and a very different kind of thing: file")
	}
	near := f.say("s1", "for a file handle", "one needs what is told at very great length in here, "+strings.Repeat("and more ", 20))
	far := f.say("s1", "for a handle", "one needs what is told at great length in here: file, "+strings.Repeat("and more ", 20))
	s := indexed(t, f, newFakeEmbedder())
	got := spansOf(search(t, s, Request{Query: "file handle", Mode: ModeLexical}))
	if i, j := slices.Index(got, near), slices.Index(got, far); i < 0 || j < i {
		t.Errorf("%s is the hit %d, %s the hit %d; want it before", near, i, far, j)
	}
}

// A long text is cut anywhere, also within a character.
func TestLongTextsAreLookedAtInPart(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "file", strings.Repeat("é", closeBytes)+" handle")
	f.say("s1", "fil", strings.Repeat("é", closeBytes)+" file handle")
	s := indexed(t, f, newFakeEmbedder())
	if got := search(t, s, Request{Query: "file handle", Mode: ModeLexical}).Count; got != 2 {
		t.Errorf("%d hits, want 2", got)
	}
}

func BenchmarkClosePairs(b *testing.B) {
	q := parseQuery("why does the upload test fail when the server closes the connection")
	text := strings.Repeat("The server closed its connection: the test of uploads fails with EOF at upload_test.go:120, see above. ", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		q.closePairs(text)
	}
}

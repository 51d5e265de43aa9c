package cli

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGridAlignsWideCharacters: a Chinese character takes two cells of a
// terminal, an accent that is written apart takes none.
func TestGridAlignsWideCharacters(t *testing.T) {
	g := &grid{columns: []column{{name: "A"}, {name: "B", right: true}}}
	g.add("日本", "1")
	g.add("e\u0301a", "20")
	g.add("\U0001F916", "3")
	var out bytes.Buffer
	if err := g.print(&out); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"A      B\n" +
		"日本   1\n" +
		"e\u0301a    20\n" +
		"\U0001F916     3\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table differs (-want +got):\n%s", diff)
	}
	if g.width() != 8 {
		t.Errorf("width is %d, want 8", g.width())
	}
}

func TestGridAsRecords(t *testing.T) {
	g := &grid{columns: []column{{name: "timestamp_us", right: true}, {name: "x", right: true}}}
	g.add("17", "0.5")
	g.add("18", "NULL")
	var out bytes.Buffer
	if err := g.printRecords(&out); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"row 1\ntimestamp_us  17\nx             0.5\n" +
		"row 2\ntimestamp_us  18\nx             NULL\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("records differ (-want +got):\n%s", diff)
	}
}

package archive

import (
	"fmt"
	"os"
	"testing"

	"tapedeck/internal/store"
)

func TestAFileIsReadOnWhereItGoesOn(t *testing.T) {
	path := write(t, t.TempDir(), "a", "first line\nsecond line\n")
	tail, err := tailOf(path, 11)
	if err != nil {
		t.Fatal(err)
	}
	before := store.Source{Offset: 11, State: []byte("s"), Tail: tail}
	for _, tt := range []struct {
		content string
		want    int64
	}{
		{"first line\nsecond line\nthird", 11},
		{"first line\n", 11},
		{"First line\nsecond line\n", 0}, // written anew
		{"first", 0},                     // shorter than what was read
	} {
		write(t, "/", path, tt.content)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		got := (&job{path: path, info: info, before: before}).cursor()
		if got.Offset != tt.want || (got.State != nil) != (tt.want > 0) {
			t.Errorf("%q is read from %d (state %q), want %d", tt.content, got.Offset, got.State, tt.want)
		}
	}
}

func TestUnknownTypesAreCountedWithinBounds(t *testing.T) {
	j := &job{}
	sink := &countingSink{job: j}
	for i := range 10 * maxKinds {
		sink.Unknown(fmt.Sprint("type", i))
		sink.Lost(int64(i), "broken")
	}
	sink.Unknown("type1")
	r := &j.result
	if len(r.Unknown) != maxKinds+1 || r.Unknown["type1"] != 2 || r.Unknown[otherKinds] != 9*maxKinds {
		t.Errorf("%d kinds, %d of type1, %d of others", len(r.Unknown), r.Unknown["type1"], r.Unknown[otherKinds])
	}
	if len(r.Lost) != maxLosses || r.LostTotal != 10*maxKinds {
		t.Errorf("%d losses listed of %d", len(r.Lost), r.LostTotal)
	}
}

func TestReportsOfAGrownFileAddUp(t *testing.T) {
	at := int64(9)
	j := &job{before: store.Source{Report: []byte(`{"lost":2,"unknown":{"a":1},"cut_at":4}`)}}
	j.result = FileResult{LostTotal: 1, Unknown: map[string]int{"a": 1, "b": 1}, CutAt: &at}
	if got, want := string(j.report(true)), `{"lost":3,"unknown":{"a":2,"b":1},"cut_at":9}`; got != want {
		t.Errorf("report %s, want %s", got, want)
	}
	if got, want := string(j.report(false)), `{"lost":1,"unknown":{"a":1,"b":1},"cut_at":9}`; got != want {
		t.Errorf("report of a file that was read from its start: %s, want %s", got, want)
	}
}

package session

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPack(t *testing.T) {
	parts := []Part{
		{Type: Text, Text: strings.Repeat("the same again ", 1000)},
		{Type: ToolCall, ID: "c", Name: "Read", Input: json.RawMessage(`{"path":"<a>"}`)},
		{Type: Blob, MediaType: "image/png", Bytes: 7, SHA256: "ab"},
	}
	packed, err := Pack(parts)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > 1000 || cap(packed) > 2000 {
		t.Errorf("packed to %d bytes of %d", len(packed), cap(packed))
	}
	got, err := packed.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	parts[1].Input = json.RawMessage(`{"path":"\u003ca\u003e"}`) // the same JSON
	if diff := cmp.Diff(parts, got); diff != "" {
		t.Error(diff)
	}
}

func TestPackNothing(t *testing.T) {
	packed, err := Pack(nil)
	if packed != nil || err != nil {
		t.Errorf("%x, %v", packed, err)
	}
	parts, err := packed.Unpack()
	if parts == nil || len(parts) != 0 || err != nil {
		t.Errorf("%v, %v; want an empty list", parts, err)
	}
}

func TestPackingWhatIsNoJSON(t *testing.T) {
	if _, err := Pack([]Part{{Input: json.RawMessage(`{`)}}); err == nil {
		t.Error("no error")
	}
}

func TestPackingAtTheSameTime(t *testing.T) {
	var group sync.WaitGroup
	want, err := Pack([]Part{{Type: Text, Text: "one text"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		group.Go(func() {
			for range 100 {
				if got, err := Pack([]Part{{Type: Text, Text: "one text"}}); err != nil || string(got) != string(want) {
					t.Errorf("%x, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}

func FuzzUnpack(f *testing.F) {
	packed, err := Pack([]Part{{Type: Text, Text: "text"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(packed))
	f.Add([]byte("no frame"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := Packed(data).Unpack()
		if err != nil {
			return
		}
		again, err := Pack(parts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Unpack()
		if err != nil || len(got) != len(parts) {
			t.Errorf("%d parts, then %d: %v", len(parts), len(got), err)
		}
	})
}

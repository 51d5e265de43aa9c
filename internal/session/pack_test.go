package session

import (
	"encoding/json"
	"runtime"
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

func TestPackLongContent(t *testing.T) {
	// Line breaks, quotes, what JSON escapes, and runes that no cut may part.
	text := strings.Repeat("a \"quoted\" <line>\n", streamed/16) + strings.Repeat("x\u20ac\U0001f600\u2028", 3*textPart/8)
	parts := []Part{
		{Type: Text, Text: "short"},
		{Type: ToolResult, Text: text, IsError: true},
		{Type: ToolCall, ID: "c", Name: "Write", Input: json.RawMessage(`{"content":"` + strings.Repeat("y", streamed) + `"}`)},
	}
	packed, err := Pack(parts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := packed.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parts, got); diff != "" {
		t.Errorf("%.1000s", diff)
	}
}

func TestPackingLongTextTakesLittleMemory(t *testing.T) {
	parts := []Part{{Type: ToolResult, Text: strings.Repeat("one line like the other\n", 1<<20)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Pack(parts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(parts[0].Text)/2) {
		t.Errorf("packing %d bytes took %d", len(parts[0].Text), took)
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
	for name, text := range map[string]string{"short": "", "long": strings.Repeat("z", streamed)} {
		if _, err := Pack([]Part{{Text: text, Input: json.RawMessage(`{`)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
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

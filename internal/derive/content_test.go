package derive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/session"
)

func TestPackingInPiecesGivesTheSame(t *testing.T) {
	parts := []session.Part{
		{Type: session.Text, Text: "a <b> & \u2028 \xff\x00"},
		{Type: session.ToolCall, ID: "c", Input: json.RawMessage(`{ "a" : "<\u0000>", "n": 1e400 }`)},
		{Type: session.Data, Input: json.RawMessage(`null`)},
		{Type: session.ToolCall, Input: json.RawMessage(`{broken`)},
		{Type: session.Blob, Bytes: 7, SHA256: "00"},
	}
	pack := func(limit int64) session.Packed {
		c := &content{}
		p := packing{limit: limit}
		for _, part := range parts {
			p.add(c, []session.Part{part})
		}
		packed, err := c.pack()
		if err != nil || p.err != nil {
			t.Fatal(err, p.err)
		}
		return packed
	}
	if whole, pieces := pack(1<<20), pack(0); !bytes.Equal(whole, pieces) {
		t.Errorf("%+v\n%+v", unpacked(t, whole), unpacked(t, pieces))
	}
}

func TestContentIsBounded(t *testing.T) {
	c := &content{}
	p := packing{limit: looseBytes}
	part := session.Part{Type: session.Text, Text: strings.Repeat("x", 1<<20)}
	for range 100 {
		p.add(c, []session.Part{part})
	}
	if c.size > maxContent || c.cut == 0 {
		t.Errorf("%d bytes kept, %d cut", c.size, c.cut)
	}
}

// BenchmarkDerive derives a long session of a fake harness whose interpreter
// costs next to nothing.
func BenchmarkDerive(b *testing.B) {
	var records logged
	said := map[string][]session.Event{}
	size := 0
	for turn := range 2000 {
		for step := range 10 {
			minute := turn*20 + step*2 + 1
			id, merge := fmt.Sprintf("call-%d-%d", turn, step), fmt.Sprintf("msg-%d-%d", turn, step)
			input, _ := json.Marshal(map[string]string{"path": "/src/file.go", "text": prose(minute, 600)})
			for n, what := range []session.What{calls(merge, id, "Edit", string(input)), gives(id, prose(minute, 2500))} {
				r := told(minute+n, what)
				if step == 0 && n == 0 {
					said[r.Key] = append(said[r.Key], session.Event{Key: r.Key + "p", Record: r.Key, At: r.At, What: typed(prose(turn, 300))})
				}
				said[r.Key] = append(said[r.Key], session.Event{Key: r.Key, Record: r.Key, At: r.At, What: what})
				size += len(r.Body)
				records = append(records, r)
			}
		}
	}
	in := Input{Ref: testRef, Importer: knowing{said: said}, Records: records.records}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Derive(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// prose is text that compresses about as text does.
func prose(seed, n int) string {
	words := strings.Fields("the session found that a test failed because handler returned nil error while store held the lock over open file and retry was never reached")
	var s strings.Builder
	for x := uint32(seed)*2654435761 + 1; s.Len() < n; x = x*1664525 + 1013904223 {
		s.WriteString(words[int(x>>16)%len(words)])
		fmt.Fprintf(&s, " %x ", x>>20)
	}
	return s.String()
}

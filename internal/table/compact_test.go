package table

import (
	"fmt"
	"os"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode/registry"
)

// Sorting and widening make tables twice; what a load takes on disk, and of the
// budget, must not double for it.
func TestTablesMadeTwiceTakeTheSpaceOfOne(t *testing.T) {
	const n = 150000
	var inOrder, shuffled, widened []message
	for i := range n {
		m := message{"/a", uint64(i) * 1000, fmt.Sprintf(`{"n":%d,"text":"%x"}`, i, uint64(i)*0x9E3779B97F4A7C15)}
		inOrder, widened = append(inOrder, m), append(widened, m)
		m.time = uint64(i^7) * 1000
		shuffled = append(shuffled, m)
	}
	widened[n-1].data = `{"n":0.5,"text":""}`
	size := func(messages []message) int64 {
		load := mustLoad(t, openCache(t), record(t, jsonChannels("/a"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 256 << 10}), registry.Decoders(), Options{})
		info, err := os.Stat(load.Tables)
		if err != nil {
			t.Fatal(err)
		}
		if load.Bytes != info.Size() {
			t.Errorf("the load says that it takes %d bytes, the file has %d", load.Bytes, info.Size())
		}
		got := rows(t, load, "SELECT count(*), count(DISTINCT text), bool_and(ordered) FROM (SELECT text, timestamp_us >= lag(timestamp_us, 1, 0) OVER () AS ordered FROM a)")
		if want := fmt.Sprintf("[%d,%d,true]", n, n); cmp.Diff([]string{want}, got) != "" {
			t.Errorf("rows %v, want %s", got, want)
		}
		return info.Size()
	}
	once := size(inOrder)
	for name, messages := range map[string][]message{"shuffled": shuffled, "widened": widened} {
		if twice := size(messages); twice > once*5/4 {
			t.Errorf("%s: %d bytes, in order %d", name, twice, once)
		}
	}
}

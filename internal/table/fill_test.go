package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode/registry"
)

// Large messages of several topics pass through the appenders' bound: the
// tables must hold all rows, in order, whichever appender is emptied when.
func TestLargeMessagesAreWrittenOnTheWay(t *testing.T) {
	const images, size = 250, 400 << 10
	schema := &mcap.Schema{Name: "p/msg/Image", Encoding: "ros2msg", Data: []byte("uint8[] data\nuint32 n")}
	head := "\x00\x01\x00\x00" + string([]byte{byte(size & 0xff), byte(size >> 8 & 0xff), byte(size >> 16), 0}) + strings.Repeat("x", size)
	var messages []message
	for i := range images {
		data := head + string([]byte{byte(i), 0, 0, 0})
		messages = append(messages, message{"/cam/left", uint64(2*i) * 1000, data}, message{"/cam/right", uint64(2*i+1) * 1000, data}, message{"/few", uint64(2*i+1) * 1000, value(i)})
	}
	if n := 2 * images * size; n < maxBuffered*3/2 {
		t.Fatalf("%d bytes of messages do not pass the bound of %d", n, maxBuffered)
	}
	channels := append([]channel{{"/cam/left", "cdr", schema}, {"/cam/right", "cdr", schema}}, jsonChannels("/few")...)
	load := mustLoad(t, openCache(t), record(t, channels, messages, mcap.WriterOptions{Chunked: true, Compression: mcap.CompressionZSTD}), registry.Decoders(), Options{Blobs: BlobsLoad})
	for _, name := range []string{"cam_left", "cam_right"} {
		got := rows(t, load, "SELECT count(*), min(octet_length(data)), max(octet_length(data)), bool_and(ordered) FROM (SELECT data, n = row_number() OVER () - 1 AS ordered FROM "+name+")")
		if diff := cmp.Diff([]string{fmt.Sprintf("[%d,%d,%d,true]", images, size, size)}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("[%d]", images)}, rows(t, load, "SELECT count(*) FROM few")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

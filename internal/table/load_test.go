package table

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/registry"
)

var chunked = mcap.WriterOptions{Chunked: true, ChunkSize: 200, Compression: mcap.CompressionZSTD}

func value(n int) string { return fmt.Sprintf(`{"n":%d}`, n) }

// disorders are recordings of the same messages, which must become the same
// rows: by log time, ties in the order of the file.
func TestRowsAreInLogTimeOrder(t *testing.T) {
	want := []string{"[1,2]", "[1,9]", "[2,1]", "[2,5]", "[2,7]", "[3,0]"}
	inOrder := []message{{"/a", 1000, value(2)}, {"/a", 1000, value(9)}, {"/a", 2000, value(1)}, {"/a", 2000, value(5)}, {"/a", 2000, value(7)}, {"/a", 3000, value(0)}}
	shuffled := []message{inOrder[5], inOrder[2], inOrder[0], inOrder[3], inOrder[1], inOrder[4]}
	for name, test := range map[string]struct {
		messages []message
		options  mcap.WriterOptions
	}{
		"in order, in chunks":                {inOrder, chunked},
		"in order, without chunks":           {inOrder, mcap.WriterOptions{}},
		"shuffled in one chunk":              {shuffled, mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 20}},
		"shuffled over chunks":               {shuffled, mcap.WriterOptions{Chunked: true, ChunkSize: 60}},
		"shuffled, a chunk a message":        {shuffled, mcap.WriterOptions{Chunked: true, ChunkSize: 1}},
		"shuffled, without chunks and index": {shuffled, mcap.WriterOptions{SkipSummaryOffsets: true}},
	} {
		t.Run(name, func(t *testing.T) {
			load := mustLoad(t, openCache(t), record(t, jsonChannels("/a"), test.messages, test.options), registry.Decoders(), Options{})
			if diff := cmp.Diff(want, rows(t, load, "SELECT * FROM a")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(load.Manifest.Tables[0].Columns) != 2 {
				t.Errorf("columns %v", load.Manifest.Tables[0].Columns)
			}
		})
	}
}

// Nanoseconds that share a microsecond must still sort.
func TestNanosecondsSort(t *testing.T) {
	src := record(t, jsonChannels("/a"), []message{{"/a", 1002, value(2)}, {"/a", 1001, value(1)}}, chunked)
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{MessageColumns: true})
	want := []string{"[1,1001,1002,1,1,1]", "[1,1002,1003,0,1,2]"}
	if diff := cmp.Diff(want, rows(t, load, "SELECT * FROM a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDownsampleKeepsTheFirstOfEachNPerTopic(t *testing.T) {
	var messages, backwards []message
	for i := range 100 {
		messages = append(messages, message{"/fast", uint64(i) * 1000, value(i)})
		if i%25 == 0 {
			messages = append(messages, message{"/slow", uint64(i) * 1000, value(i)})
		}
	}
	for i := len(messages) - 1; i >= 0; i-- {
		backwards = append(backwards, messages[i])
	}
	for name, m := range map[string][]message{"in order": messages, "backwards": backwards} {
		t.Run(name, func(t *testing.T) {
			load := mustLoad(t, openCache(t), record(t, jsonChannels("/fast", "/slow"), m, chunked), registry.Decoders(), Options{Downsample: 30})
			got := append(rows(t, load, "SELECT n FROM fast"), rows(t, load, "SELECT n FROM slow")...)
			if diff := cmp.Diff([]string{"[0]", "[30]", "[60]", "[90]", "[0]"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if load.Manifest.Tables[0].Rows != 4 || load.Manifest.Tables[1].Rows != 1 {
				t.Errorf("rows %d and %d", load.Manifest.Tables[0].Rows, load.Manifest.Tables[1].Rows)
			}
		})
	}
}

func TestWindowIncludesItsStartAndNotItsEnd(t *testing.T) {
	var messages []message
	for i := range 50 {
		messages = append(messages, message{"/a", uint64(i) * 1000, value(i)})
	}
	load := mustLoad(t, openCache(t), record(t, jsonChannels("/a"), messages, chunked), registry.Decoders(), Options{From: 10000, Until: 13000, HasUntil: true})
	if diff := cmp.Diff([]string{"[10]", "[11]", "[12]"}, rows(t, load, "SELECT n FROM a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTopicsPickTables(t *testing.T) {
	src := record(t, jsonChannels("/a", "/b"), []message{{"/a", 1, value(1)}, {"/b", 2, value(2)}}, chunked)
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{Topics: []string{"/b"}})
	if len(load.Manifest.Tables) != 1 || load.Manifest.Tables[0].Name != "b" {
		t.Errorf("tables %v", load.Manifest.Tables)
	}
}

// A message that breaks what the first ones showed may come after any number
// of others; no value may be dropped or rounded for it.
func TestJSONWidensWithoutLoss(t *testing.T) {
	var messages []message
	for i := range 20000 {
		messages = append(messages, message{"/a", uint64(i) * 1000, value(i)})
	}
	messages[15000].data = `{"n":0.5,"late":"x"}`
	messages[19999].data = `{"n":9007199254740993}`
	src := record(t, jsonChannels("/a"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 64 << 10})
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{})
	got := rows(t, load, "SELECT count(*), count(late), min(n) FILTER (late = 'x'), max(n) FILTER (timestamp_us = 19999) FROM a")
	if diff := cmp.Diff([]string{`[20000,1,"0.5","9007199254740993"]`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	described, err := Describe(t.Context(), src, registry.Decoders(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(load.Manifest.Tables[0].Columns, described[0].Columns); diff != "" {
		t.Errorf("get_schema differs from the table (-table +schema):\n%s", diff)
	}
}

func TestOneTopicWithTwoSchemas(t *testing.T) {
	schema := func(kind string) *mcap.Schema {
		return &mcap.Schema{Name: "S", Encoding: "jsonschema", Data: []byte(`{"type":"object","properties":{"same":{"type":"integer"},"v":{"type":"` + kind + `"}}}`)}
	}
	src := record(t, []channel{{"/a", "json", schema("string")}, {"/a", "json", schema("integer")}},
		[]message{{"/a#1", 1000, `{"same":1,"v":"x"}`}, {"/a#2", 2000, `{"same":2,"v":7}`}, {"/a#1", 3000, `{"same":3,"v":"y"}`}}, chunked)
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{})
	if diff := cmp.Diff([]string{`[1,"x",null]`, `[2,null,7]`, `[3,"y",null]`}, rows(t, load, "SELECT same, v, v_2 FROM a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUndecodableMessagesCostTheirRowOnly(t *testing.T) {
	src := record(t, append(jsonChannels("/a"), channel{"/odd", "x-acme", nil}),
		[]message{{"/a", 1, value(1)}, {"/a", 2, `{`}, {"/a", 3, ``}, {"/a", 4, value(4)}, {"/odd", 5, "?"}}, chunked)
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{})
	if diff := cmp.Diff([]string{"[1]", "[4]"}, rows(t, load, "SELECT n FROM a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if u := load.Manifest.Undecoded["/a"]; u.Messages != 2 || u.Reason == "" {
		t.Errorf("undecoded %v", load.Manifest.Undecoded)
	}
	if s := load.Manifest.Skipped; len(s) != 1 || s[0].Topic != "/odd" || !strings.Contains(s[0].Reason, "x-acme") {
		t.Errorf("skipped %v", s)
	}
	if !load.Manifest.Lossy {
		t.Error("the load is not said to be lossy")
	}
}

func TestMetadataTable(t *testing.T) {
	src := record(t, nil, nil, chunked)
	load := mustLoad(t, openCache(t), src, registry.Decoders(), Options{})
	if diff := cmp.Diff([]string{`["run","robot","r2"]`, `["run","site","north"]`}, rows(t, load, "SELECT * FROM _metadata")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLargeBlobsAreLeftOutUnlessAskedFor(t *testing.T) {
	schema := &mcap.Schema{Name: "p/msg/Image", Encoding: "ros2msg", Data: []byte("uint8[] data\nuint32 n")}
	size := 20 << 10
	image := "\x00\x01\x00\x00" + string([]byte{byte(size), byte(size >> 8), byte(size >> 16), 0}) + strings.Repeat("x", size) + "\x07\x00\x00\x00"
	src := record(t, []channel{{"/image", "cdr", schema}}, []message{{"/image", 1, image}}, chunked)
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"by default": {Options{}, "data_size"},
		"named":      {Options{Topics: []string{"/image"}}, "data"},
		"loaded":     {Options{Blobs: BlobsLoad}, "data"},
		"omitted":    {Options{Topics: []string{"/image"}, Blobs: BlobsOmit}, "data_size"},
	} {
		t.Run(name, func(t *testing.T) {
			load := mustLoad(t, openCache(t), src, registry.Decoders(), test.options)
			length := test.want
			if test.want == "data" {
				length = "octet_length(data)"
			}
			if diff := cmp.Diff([]string{fmt.Sprintf("[%d,7]", size)}, rows(t, load, "SELECT "+length+", n FROM image")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			described, err := Describe(t.Context(), src, registry.Decoders(), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(load.Manifest.Tables[0].Columns, described[0].Columns); diff != "" {
				t.Errorf("get_schema differs from the table (-table +schema):\n%s", diff)
			}
		})
	}
}

// faulty is a decoder that panics on some input, which none of ours should.
type faulty struct{ decode.Decoder }

type faultyPlan struct{ decode.Plan }

func (f faulty) Compile(s decode.Schema, o decode.Options) (decode.Plan, error) {
	if s.Name == "panic" {
		panic("on the schema")
	}
	p, err := f.Decoder.Compile(s, o)
	return faultyPlan{p}, err
}

func (p faultyPlan) Decode(msg []byte, b *decode.Batch) error {
	if strings.Contains(string(msg), "panic") {
		b.Column(0).AppendNull()
		panic("on the message")
	}
	return p.Plan.Decode(msg, b)
}

func (p faultyPlan) Fork() decode.Plan { return faultyPlan{p.Plan.Fork()} }

func TestAFaultyDecoderCostsRowsAndTopicsNotTheProcess(t *testing.T) {
	object := []byte(`{"type":"object","properties":{"s":{"type":"string"}}}`)
	good, bad := &mcap.Schema{Name: "good", Encoding: "jsonschema", Data: object}, &mcap.Schema{Name: "panic", Encoding: "jsonschema", Data: object}
	src := record(t, []channel{{"/a", "json", good}, {"/b", "json", bad}},
		[]message{{"/a", 1, `{"s":"x"}`}, {"/a", 2, `{"s":"panic"}`}, {"/a", 3, `{"s":"y"}`}, {"/b", 4, `{}`}}, chunked)
	var decoders []decode.Decoder
	for _, d := range registry.Decoders() {
		decoders = append(decoders, faulty{d})
	}
	load := mustLoad(t, openCache(t), src, decoders, Options{})
	if diff := cmp.Diff([]string{`["x"]`, `["y"]`}, rows(t, load, "SELECT s FROM a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if load.Manifest.Undecoded["/a"].Messages != 1 || len(load.Manifest.Skipped) != 1 {
		t.Errorf("undecoded %v, skipped %v", load.Manifest.Undecoded, load.Manifest.Skipped)
	}
}

func TestCancelledLoadLeavesNothing(t *testing.T) {
	var messages []message
	for i := range 20000 {
		messages = append(messages, message{"/a", uint64(i) * 1000, value(i)})
	}
	src := record(t, jsonChannels("/a"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 16 << 10})
	cache := openCache(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := cache.Load(ctx, src, registry.Decoders(), Options{}, func(done, total int64) {
		if done > total/2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	left(t, cache, 0)
	mustLoad(t, cache, src, registry.Decoders(), Options{})
	left(t, cache, 1)
}

package mcap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	fox "github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

func summarise(t testing.TB, f *file) *recording.Summary {
	t.Helper()
	sum, err := f.Summary(context.Background())
	check(t, err)
	return sum
}

func scanned(t testing.TB, f *file) *recording.Summary {
	t.Helper()
	sum, err := f.summariseByScan(context.Background(), &section{})
	check(t, err)
	return sum
}

// soundFiles are ways to write a sound recording of 1000 messages on 3 channels.
func soundFiles() map[string]writing {
	small := func(o fox.WriterOptions) writing {
		o.ChunkSize = 4 << 10
		return writing{options: o, channels: 3, messages: 1000, size: 60}
	}
	return map[string]writing{
		"zstd":               small(fox.WriterOptions{Chunked: true, Compression: fox.CompressionZSTD, IncludeCRC: true}),
		"lz4":                small(fox.WriterOptions{Chunked: true, Compression: fox.CompressionLZ4, IncludeCRC: true}),
		"plain":              small(fox.WriterOptions{Chunked: true, IncludeCRC: true}),
		"no checksums":       small(fox.WriterOptions{Chunked: true, Compression: fox.CompressionZSTD}),
		"not chunked":        small(fox.WriterOptions{}),
		"no statistics":      small(fox.WriterOptions{Chunked: true, SkipStatistics: true}),
		"no message index":   small(fox.WriterOptions{Chunked: true, SkipMessageIndexing: true}),
		"no chunk index":     small(fox.WriterOptions{Chunked: true, SkipChunkIndex: true}),
		"no channels at end": small(fox.WriterOptions{Chunked: true, SkipRepeatedChannelInfos: true}),
		"no schemas at end":  small(fox.WriterOptions{Chunked: true, SkipRepeatedSchemas: true}),
	}
}

func TestSummaryOfSoundFiles(t *testing.T) {
	indexed := map[string]bool{"zstd": true, "lz4": true, "plain": true, "no checksums": true}
	for name, w := range soundFiles() {
		t.Run(name, func(t *testing.T) {
			f := openBytes(t, written(t, w))
			sum := summarise(t, f)
			if sum.Indexed != indexed[name] {
				t.Errorf("indexed is %v", sum.Indexed)
			}
			if sum.MessageCount != 1000 || sum.Start != firstTime || sum.End != firstTime+999_000 || !sum.Ordered || len(sum.Warnings) > 0 {
				t.Errorf("%d messages from %d to %d, ordered %v, warnings %v", sum.MessageCount, sum.Start, sum.End, sum.Ordered, sum.Warnings)
			}
			if sum.Profile != "ros2" || !strings.Contains(sum.Library, "test") {
				t.Errorf("profile %q, library %q", sum.Profile, sum.Library)
			}
			if diff := cmp.Diff([]recording.Metadata{{Name: "run", Values: map[string]string{"robot": "seven"}}}, sum.Metadata); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			if len(sum.Attachments) != 1 || sum.Attachments[0].Name != "notes.txt" || sum.Attachments[0].Size != 5 {
				t.Errorf("attachments %+v", sum.Attachments)
			}
			for i, c := range sum.Channels {
				want := uint64(333)
				if i == 0 {
					want = 334
				}
				if c.Topic != fmt.Sprintf("/topic%d", i) || c.Count != want || c.MeanSize != 60 || c.Schema.Name != "pkg/msg/T" {
					t.Errorf("channel %d: %+v with schema %+v", i, c, c.Schema)
				}
			}
			if again := summarise(t, openBytes(t, written(t, w))); !cmp.Equal(sum, again) {
				t.Errorf("another summary of the same bytes differs:\n%s", cmp.Diff(sum, again))
			}
		})
	}
}

// TestSummaryReadsLittle makes sure that a sound file's summary does not depend
// on the messages: it must not read the chunks.
func TestSummaryReadsLittle(t *testing.T) {
	b := written(t, writing{options: fox.WriterOptions{Chunked: true, ChunkSize: 1 << 20}, channels: 3, messages: 20_000, size: 1000})
	r := &countingReader{r: bytes.NewReader(b)}
	f, err := open(r, int64(len(b)))
	check(t, err)
	if sum := summarise(t, f); sum.MessageCount != 20_000 {
		t.Fatalf("%d messages", sum.MessageCount)
	}
	if most := int64(len(b) / 50); r.n > most {
		t.Errorf("read %d bytes of a file of %d, want at most %d", r.n, len(b), most)
	}
}

type countingReader struct {
	r *bytes.Reader
	n int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	c.n += int64(len(p))
	return c.r.ReadAt(p, off)
}

func TestMessagesOutsideOfChunksAreCounted(t *testing.T) {
	b := fileOf(
		schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"),
		messageRecord(1, 5, "out"),
		chunkRecord(t, zstdName, messageRecord(1, 6, "in"), messageRecord(1, 7, "in")),
		metadataRecord("between"),
		messageRecord(1, 8, "out"),
	)
	f := openBytes(t, b)
	sum := summarise(t, f)
	if sum.MessageCount != 4 || sum.Start != 5 || sum.End != 8 || !sum.Ordered {
		t.Errorf("%d messages from %d to %d, ordered %v", sum.MessageCount, sum.Start, sum.End, sum.Ordered)
	}
	if got := readAll(t, f, sum, recording.Selection{}); len(got.messages) != 4 || len(got.warnings) > 0 {
		t.Errorf("%d messages read, warnings %v", len(got.messages), got.warnings)
	}
}

// TestIndexThatOmitsMessages puts messages into the gaps of a sound file's
// index: the summary must not be made from the index then.
func TestIndexThatOmitsMessages(t *testing.T) {
	messages := []byte{}
	for i := range 4 {
		messages = append(messages, messageRecord(1, uint64(i), "x")...)
	}
	chunk := chunkOf("", messages[:2*len(messages)/4], uint64(2*len(messages)/4), 0)
	chunkAt := uint64(len(magic) + len(headerRecord()))
	index := record(opMessageIndex, u16(1), u32(2*16), u64(0), u64(0), u64(1), u64(uint64(len(messages)/4)))
	indexAt := chunkAt + uint64(len(chunk))
	loose := messages[2*len(messages)/4:]

	build := func(outside []byte, statistics uint64) []byte {
		data := join([]byte(magic), headerRecord(), chunk, index, outside, record(opDataEnd, u32(0)))
		summary := join(
			schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"),
			record(opChunkIndex, u64(0), u64(1), u64(chunkAt), u64(uint64(len(chunk))), u32(10), u16(1), u64(indexAt), u64(uint64(len(index))), str(""), u64(0), u64(0)),
			record(opStatistics, u64(statistics), u16(1), u32(1), u32(0), u32(0), u32(1), u64(0), u64(1), u32(10), u16(1), u64(statistics)),
		)
		foot := record(opFooter, u64(uint64(len(data))), u64(0), u32(0))
		crc := crc32.ChecksumIEEE(join(summary, foot[:len(foot)-4]))
		return join(data, summary, foot[:len(foot)-4], u32(crc), []byte(magic))
	}
	for _, c := range []struct {
		name    string
		file    []byte
		indexed bool
		count   uint64
	}{
		{"nothing outside", build(nil, 2), true, 2},
		{"metadata outside", build(metadataRecord("m"), 2), true, 2},
		{"messages outside, statistics right", build(loose, 4), false, 4},
		{"messages outside, statistics wrong", build(loose, 2), false, 4},
		{"another chunk outside", build(chunkOf("", loose, uint64(len(loose)), 0), 2), false, 4},
		{"what is no record outside", build([]byte{1, 2, 3}, 2), false, 2},
	} {
		sum := summarise(t, openBytes(t, c.file))
		if sum.Indexed != c.indexed || sum.MessageCount != c.count {
			t.Errorf("%s: indexed %v, %d messages; want %v, %d (%v)", c.name, sum.Indexed, sum.MessageCount, c.indexed, c.count, sum.Warnings)
		}
	}
}

func TestOrdered(t *testing.T) {
	define := join(schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"))
	at := func(times ...uint64) []byte {
		recs := [][]byte{}
		for _, x := range times {
			recs = append(recs, messageRecord(1, x, ""))
		}
		return chunkRecord(t, zstdName, recs...)
	}
	for _, c := range []struct {
		name string
		file []byte
		want bool
	}{
		{"one after the other", fileOf(define, at(1, 2), at(3, 4)), true},
		{"equal times at the seam", fileOf(define, at(1, 2), at(2, 3)), true},
		{"unordered in a chunk only", fileOf(define, at(2, 1), at(3, 4)), true},
		{"overlapping", fileOf(define, at(1, 3), at(2, 4)), false},
		{"an empty chunk between", fileOf(define, at(1, 3), at(), at(3, 4)), true},
	} {
		if got := summarise(t, openBytes(t, c.file)).Ordered; got != c.want {
			t.Errorf("%s: ordered is %v", c.name, got)
		}
	}
}

func TestMissingSchemaCostsOneTopic(t *testing.T) {
	f := openBytes(t, fileOf(
		schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/good"), channelRecord(2, 9, "/bad"), channelRecord(3, 0, "/none"),
		messageRecord(1, 1, "a"), messageRecord(2, 2, "b"), messageRecord(3, 3, "c"),
	))
	sum := summarise(t, f)
	has := map[string]bool{}
	for _, c := range sum.Channels {
		has[c.Topic] = c.Schema != nil
	}
	if diff := cmp.Diff(map[string]bool{"/good": true, "/bad": false, "/none": false}, has); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
	if len(sum.Warnings) != 1 || sum.Warnings[0].Code != recording.WarnMissingSchema || !strings.Contains(sum.Warnings[0].Text, "/bad") {
		t.Errorf("warnings %v", sum.Warnings)
	}
	if got := readAll(t, f, sum, recording.Selection{}); len(got.messages) != 3 {
		t.Errorf("%d messages read", len(got.messages))
	}
}

// TestMeanSizeLeavesDefinitionsOut has a large schema between the only message
// of one channel and the messages of the next.
func TestMeanSizeLeavesDefinitionsOut(t *testing.T) {
	var out bytes.Buffer
	w, err := fox.NewWriter(&out, &fox.WriterOptions{Chunked: true, ChunkSize: 1 << 20})
	check(t, err)
	check(t, w.WriteHeader(&fox.Header{}))
	for c := range 3 {
		check(t, w.WriteSchema(&fox.Schema{ID: uint16(c + 1), Name: "T", Encoding: "ros2msg", Data: make([]byte, 50_000)}))
		check(t, w.WriteChannel(&fox.Channel{ID: uint16(c), SchemaID: uint16(c + 1), Topic: fmt.Sprint(c)}))
		for range 4 {
			check(t, w.WriteMessage(&fox.Message{ChannelID: uint16(c), Data: make([]byte, 100*(c+1))}))
		}
	}
	check(t, w.Close())
	sum := summarise(t, openBytes(t, out.Bytes()))
	if !sum.Indexed {
		t.Fatal("not by index")
	}
	for i, c := range sum.Channels {
		if want := float64(100 * (i + 1)); c.MeanSize != want {
			t.Errorf("channel %d: mean size %v, want %v", i, c.MeanSize, want)
		}
	}
}

// TestSmallFilesAreReadInFull has a channel redefined in a way that the index
// of its file hides: as the file is small, it comes out.
func TestSmallFilesAreReadInFull(t *testing.T) {
	build := func(padding int) *file {
		var out bytes.Buffer
		w, err := fox.NewWriter(&out, &fox.WriterOptions{Chunked: true, ChunkSize: 1})
		check(t, err)
		check(t, w.WriteHeader(&fox.Header{}))
		for _, topic := range []string{"/a", "/b"} { // of these the library lists the first
			check(t, w.WriteChannel(&fox.Channel{ID: 1, Topic: topic}))
			check(t, w.WriteMessage(&fox.Message{ChannelID: 1, LogTime: 5, Data: make([]byte, padding)}))
		}
		check(t, w.Close())
		f, err := open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		check(t, err)
		return f
	}
	small, large := build(1), build(smallFile)
	sum := summarise(t, small)
	if diff := cmp.Diff([]string{"5 /a -", "5 /b -"}, read(t, small, sum)); diff != "" || len(sum.Channels) != 2 {
		t.Errorf("%d channels, messages (-want +got):\n%s", len(sum.Channels), diff)
	}
	sum = summarise(t, large)
	got := readAll(t, large, sum, recording.Selection{})
	if !sum.Indexed || len(got.messages) != 1 || !slices.Contains(got.codes, recording.WarnChannelRedefined) {
		t.Errorf("large: indexed %v, %d messages, warnings %v", sum.Indexed, len(got.messages), got.warnings)
	}
}

func TestSummaryErrors(t *testing.T) {
	if _, err := open(strings.NewReader(magic+"\x01\x00"), 10); !errors.Is(err, recording.ErrDamaged) {
		t.Errorf("a file that ends in its header: %v", err)
	}
	long := join([]byte(magic), []byte{opHeader}, u64(math.MaxUint64), []byte("rest"))
	if _, err := open(bytes.NewReader(long), int64(len(long))); !errors.Is(err, recording.ErrDamaged) {
		t.Errorf("a header longer than the file: %v", err)
	}
	f := openBytes(t, fileOf(messageRecord(1, 1, "")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Summary(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
	broken := errors.New("disk is gone")
	b := written(t, writing{channels: 1, messages: 10})
	f, err := open(&failingReader{bytes.NewReader(b), broken, 60}, int64(len(b)))
	if err == nil {
		_, err = f.Summary(t.Context())
	}
	if !errors.Is(err, broken) {
		t.Errorf("reading fails: %v", err)
	}
}

// failingReader fails for all that ends behind good.
type failingReader struct {
	r    *bytes.Reader
	err  error
	good int64
}

func (f *failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.good {
		n, _ := f.r.ReadAt(p[:max(0, min(int64(len(p)), f.good-off))], off)
		return n, f.err
	}
	return f.r.ReadAt(p, off)
}

package mcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	fox "github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

// TestCutAtEveryByte cuts sound files everywhere. What is read must be the
// first messages, unchanged; the loss must be told; and the summary must count
// what can be read.
func TestCutAtEveryByte(t *testing.T) {
	for name, w := range soundFiles() {
		t.Run(name, func(t *testing.T) {
			w.messages, w.options.ChunkSize = 60, 1000
			whole := written(t, w)
			for n := len(magic) + recordHead; n < len(whole); n += 7 {
				f, err := open(bytes.NewReader(whole[:n]), int64(n))
				if err != nil {
					continue // in the header
				}
				f.scanUpTo = 0
				sum := summarise(t, f)
				got := readAll(t, f, sum, recording.Selection{})
				if uint64(len(got.messages)) != sum.MessageCount {
					t.Fatalf("cut at %d: %d messages counted, %d read", n, sum.MessageCount, len(got.messages))
				}
				if !slices.Contains(codesOf(sum.Warnings), recording.WarnTruncated) {
					t.Fatalf("cut at %d: the loss is not told: %v", n, sum.Warnings)
				}
				for i, m := range got.messages {
					if m.Sequence != uint32(i) || binary.LittleEndian.Uint32(m.Data) != uint32(i) || len(m.Data) != w.size {
						t.Fatalf("cut at %d: message %d is %+v", n, i, m)
					}
				}
			}
		})
	}
}

// TestCutChunkGivesItsBeginning cuts a file inside of one large chunk.
func TestCutChunkGivesItsBeginning(t *testing.T) {
	for _, compression := range []string{"", zstdName, lz4Name} {
		b := written(t, writing{
			options:  fox.WriterOptions{Chunked: true, ChunkSize: 64 << 20, Compression: fox.CompressionFormat(compression)},
			channels: 1, messages: 40_000, size: 500,
		})
		f := openBytes(t, b[:len(b)/3])
		sum := summarise(t, f)
		got := readAll(t, f, sum, recording.Selection{})
		if n := len(got.messages); n < 1000 || n > 39_000 || sum.MessageCount != uint64(n) {
			t.Errorf("%q: %d messages read, %d counted", compression, n, sum.MessageCount)
		}
		if !slices.Contains(got.codes, recording.WarnCutChunk) {
			t.Errorf("%q: warnings %v", compression, got.warnings)
		}
	}
}

// TestChunkNeverClosed has the sizes that a recorder writes before it closes a
// chunk.
func TestChunkNeverClosed(t *testing.T) {
	open := join([]byte{opChunk}, u64(math.MaxUint64), u64(0), u64(0), u64(math.MaxUint64), u32(0), str(""), u64(math.MaxUint64))
	b := cutFile(open, schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"), messageRecord(1, 1, "x"), messageRecord(1, 2, "y"))
	f := openBytes(t, b[:len(b)-1])
	sum := summarise(t, f)
	if got := read(t, f, sum); len(got) != 1 || sum.MessageCount != 1 {
		t.Errorf("read %v, counted %d", got, sum.MessageCount)
	}
}

// TestDamageBetweenChunks overwrites records in the middle: the chunks behind
// must be found again.
func TestDamageBetweenChunks(t *testing.T) {
	define := join(schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"))
	first, second := chunkRecord(t, zstdName, messageRecord(1, 1, "x")), chunkRecord(t, lz4Name, messageRecord(1, 2, "y"))
	for name, damage := range map[string][]byte{
		"a length beyond the file": join([]byte{opMetadata}, u64(1<<40), []byte("abc")),
		"a length of 2^64-1":       join([]byte{opMessage}, u64(math.MaxUint64)),
		"random bytes":             bytes.Repeat([]byte{0x06, 0xff, 0x93}, 300_000),
		"a chunk that is too long": join([]byte{opChunk}, u64(1<<50), u64(0), u64(0), u64(10), u32(0), str(zstdName), u64(1<<50), []byte("never")),
	} {
		f := openBytes(t, fileOf(define, first, damage, second))
		sum := summarise(t, f)
		if diff := cmp.Diff([]string{"1 /a T", "2 /a T"}, read(t, f, sum)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(sum.Warnings) == 0 {
			t.Errorf("%s: no warnings", name)
		}
	}
}

func TestBadChunksCostThemselves(t *testing.T) {
	define := join(schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"))
	good, last := chunkRecord(t, zstdName, messageRecord(1, 1, "x")), chunkRecord(t, "", messageRecord(1, 9, "z"))
	recs := messageRecord(1, 2, "lost")
	pack := packed(t, zstdName, recs)
	size := uint64(len(recs))
	for _, c := range []struct {
		name  string
		chunk []byte
		code  string
	}{
		{"wrong checksum", chunkOf(zstdName, pack, size, 1), recording.WarnChunkCRC},
		{"wrong checksum, plain", chunkOf("", recs, size, 1), recording.WarnChunkCRC},
		{"says less than it has", chunkOf(zstdName, pack, size-1, 0), recording.WarnBadChunk},
		{"says more than it has", chunkOf(zstdName, pack, size+1, 0), recording.WarnBadChunk},
		{"says that it has nothing", chunkOf(zstdName, pack, 0, 0), recording.WarnBadChunk},
		{"says less, lz4", chunkOf(lz4Name, packed(t, lz4Name, recs), size-1, 0), recording.WarnBadChunk},
		{"says more, lz4", chunkOf(lz4Name, packed(t, lz4Name, recs), size+1, 0), recording.WarnBadChunk},
		{"says more, far", chunkOf(zstdName, pack, 50<<20, 0), recording.WarnBadChunk},
		{"a raw lz4 block", chunkOf(lz4Name, recs, size, 0), recording.WarnBadChunk},
		{"unknown compression", chunkOf("snappy", pack, size, 0), recording.WarnUnsupportedCompression},
		{"shorter than its fields", record(opChunk, u64(1)), recording.WarnBadChunk},
		{"records longer than the chunk", record(opChunk, u64(0), u64(9), u64(9), u32(0), str(""), u64(1000), []byte("x")), recording.WarnBadChunk},
		{"a chunk in it", chunkRecord(t, "", chunkRecord(t, "", recs)), recording.WarnNestedChunk},
		{"half a record in it", chunkRecord(t, "", recs[:len(recs)-1]), recording.WarnBadRecord},
		{"a short message in it", chunkRecord(t, "", record(opMessage, u16(1))), recording.WarnBadRecord},
		{"a short channel in it", chunkRecord(t, "", record(opChannel, u16(5), u16(0), u32(1000))), recording.WarnBadRecord},
	} {
		f := openBytes(t, fileOf(define, good, c.chunk, last))
		sum := summarise(t, f)
		if diff := cmp.Diff([]string{"1 /a T", "9 /a T"}, read(t, f, sum)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff([]string{c.code}, codesOf(sum.Warnings)); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestToleratedChunks(t *testing.T) {
	define := join(schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"))
	recs := messageRecord(1, 1, "x")
	pack := packed(t, zstdName, recs)
	for name, chunk := range map[string][]byte{
		"checksum not given":    chunkOf(zstdName, pack, uint64(len(recs)), 0),
		"padding after zstd":    chunkOf(zstdName, append(bytes.Clone(pack), make([]byte, 50)...), uint64(len(recs)), 0),
		"two zstd frames":       chunkOf(zstdName, append(packed(t, zstdName, recs[:9]), packed(t, zstdName, recs[9:])...), uint64(len(recs)), 0),
		"fields of the future":  record(opChunk, u64(0), u64(9), u64(uint64(len(recs))), u32(0), str(""), u64(uint64(len(recs))), recs, []byte("new")),
		"far smaller when zstd": chunkRecord(t, zstdName, recs, record(0x80, make([]byte, 5<<20))),
	} {
		empty := chunkOf(zstdName, packed(t, zstdName, nil), 0, 0)
		f := openBytes(t, fileOf(define, empty, chunk))
		sum := summarise(t, f)
		if got := read(t, f, sum); len(got) != 1 || len(sum.Warnings) > 0 {
			t.Errorf("%s: read %v, warnings %v", name, got, sum.Warnings)
		}
	}
}

// TestEmptyPromisesAllocateLittle has chunks in memory that claim what they can't hold.
func TestEmptyPromisesAllocateLittle(t *testing.T) {
	const most = 24 << 20
	frame := packed(t, zstdName, make([]byte, 60<<20)) // decompresses to 60 MB
	for name, chunk := range map[string][]byte{
		"zstd that says 60 MB and is cut": chunkOf(zstdName, frame[:len(frame)/8], 60<<20, 0),
		"zstd that says 500 MB":           chunkOf(zstdName, packed(t, zstdName, []byte("x")), 500<<20, 0),
		"lz4 that says 60 MB":             chunkOf(lz4Name, packed(t, lz4Name, []byte("x")), 60<<20, 0),
	} {
		b := fileOf(chunk)
		if n := allocated(func() { summarise(t, openBytes(t, b)) }); n > most {
			t.Errorf("%s: allocated %d bytes, want at most %d", name, n, most)
		}
	}
}

func TestFileThatBecomesShorter(t *testing.T) {
	b := written(t, writing{options: fox.WriterOptions{Chunked: true, ChunkSize: 2000}, channels: 1, messages: 200, size: 50})
	r := &shrinkingReader{b: b}
	f, err := open(r, int64(len(b)))
	check(t, err)
	f.scanUpTo = 0
	sum := summarise(t, f)
	r.b = b[:len(b)/2]
	got := readAll(t, f, sum, recording.Selection{})
	if len(got.messages) < 50 || len(got.messages) > 150 || !slices.Contains(got.codes, recording.WarnReadFailed) {
		t.Errorf("%d messages, warnings %v", len(got.messages), got.warnings)
	}
}

type shrinkingReader struct{ b []byte }

func (s *shrinkingReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(s.b)) {
		return 0, io.EOF
	}
	n := copy(p, s.b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func TestManyWarningsStayFew(t *testing.T) {
	bad := chunkOf("", nil, 5, 0)
	f := openBytes(t, fileOf(bytes.Repeat(bad, 5000)))
	if n := len(summarise(t, f).Warnings); n < 2 || n > 50 {
		t.Errorf("%d warnings for 5000 bad chunks", n)
	}
}

package mcap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	fox "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// This file has two ways to make recordings: written puts sound ones together
// with the format's own library, and the functions below it any bytes at all.

// writing says how written writes.
type writing struct {
	options  fox.WriterOptions
	channels int
	messages int
	size     int // bytes of a message
}

// firstTime is not 0: the library's statistics are wrong for that.
const firstTime = 1_000_000

// written returns a sound recording. Message i is on channel i modulo channels,
// at log time firstTime+1000*i, and begins with its number.
func written(t testing.TB, w writing) []byte {
	t.Helper()
	var out bytes.Buffer
	fw, err := fox.NewWriter(&out, &w.options)
	check(t, err)
	check(t, fw.WriteHeader(&fox.Header{Profile: "ros2", Library: "test"}))
	check(t, fw.WriteSchema(&fox.Schema{ID: 1, Name: "pkg/msg/T", Encoding: "ros2msg", Data: []byte("int32 n")}))
	for c := range w.channels {
		check(t, fw.WriteChannel(&fox.Channel{ID: uint16(c), SchemaID: 1, Topic: fmt.Sprintf("/topic%d", c), MessageEncoding: "cdr"}))
	}
	data := make([]byte, max(w.size, 4))
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for i := range w.messages {
		binary.LittleEndian.PutUint32(data, uint32(i))
		check(t, fw.WriteMessage(&fox.Message{
			ChannelID: uint16(i % w.channels), Sequence: uint32(i),
			LogTime: firstTime + uint64(i)*1000, PublishTime: firstTime + uint64(i)*1000 + 1, Data: data,
		}))
	}
	check(t, fw.WriteMetadata(&fox.Metadata{Name: "run", Metadata: map[string]string{"robot": "seven"}}))
	check(t, fw.WriteAttachment(&fox.Attachment{Name: "notes.txt", MediaType: "text/plain", DataSize: 5, Data: bytes.NewReader([]byte("hello"))}))
	check(t, fw.Close())
	return out.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func u16(v uint16) []byte { return binary.LittleEndian.AppendUint16(nil, v) }
func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
func str(s string) []byte { return append(u32(uint32(len(s))), s...) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func record(op byte, fields ...[]byte) []byte {
	body := join(fields...)
	return join([]byte{op}, u64(uint64(len(body))), body)
}

func headerRecord() []byte { return record(opHeader, str("p"), str("l")) }

func schemaRecord(id uint16, name, data string) []byte {
	return record(opSchema, u16(id), str(name), str("ros2msg"), str(data))
}

func channelRecord(id, schema uint16, topic string) []byte {
	return record(opChannel, u16(id), u16(schema), str(topic), str("cdr"), str(""))
}

func messageRecord(channel uint16, logTime uint64, data string) []byte {
	return record(opMessage, u16(channel), u32(uint32(logTime)), u64(logTime), u64(logTime), []byte(data))
}

func metadataRecord(name string) []byte {
	return record(opMetadata, str(name), str(string(join(str("k"), str("v")))))
}

func attachmentRecord(name string, size uint64, data string) []byte {
	return record(opAttachment, u64(1), u64(2), str(name), str("text/plain"), u64(size), []byte(data), u32(0))
}

// chunkRecord packs records soundly.
func chunkRecord(t testing.TB, compression string, recs ...[]byte) []byte {
	t.Helper()
	data := join(recs...)
	return chunkOf(compression, packed(t, compression, data), uint64(len(data)), crc32.ChecksumIEEE(data))
}

// chunkOf makes a chunk that says whatever it is told to.
func chunkOf(compression string, pack []byte, size uint64, crc uint32) []byte {
	return record(opChunk, u64(0), u64(1<<62), u64(size), u32(crc), str(compression), u64(uint64(len(pack))), pack)
}

func packed(t testing.TB, compression string, data []byte) []byte {
	t.Helper()
	switch compression {
	case zstdName:
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		check(t, err)
		return e.EncodeAll(data, nil)
	case lz4Name:
		var b bytes.Buffer
		w := lz4.NewWriter(&b)
		_, err := w.Write(data)
		check(t, err)
		check(t, w.Close())
		return b.Bytes()
	}
	return data
}

// footerRecord ends a file without a summary section.
func footerRecord() []byte { return record(opFooter, u64(0), u64(0), u32(0)) }

// fileOf puts a file together that has no summary section.
func fileOf(recs ...[]byte) []byte {
	return join([]byte(magic), headerRecord(), join(recs...), record(opDataEnd, u32(0)), footerRecord(), []byte(magic))
}

// cutFile is fileOf without all that ends a file.
func cutFile(recs ...[]byte) []byte { return join([]byte(magic), headerRecord(), join(recs...)) }

// openBytes opens a file whose summary is made by its index if that holds,
// however small it is.
func openBytes(t testing.TB, b []byte) *file {
	t.Helper()
	f, err := open(bytes.NewReader(b), int64(len(b)))
	check(t, err)
	f.scanUpTo = 0
	return f
}

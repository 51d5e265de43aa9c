package mcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

// Opcodes of records.
const (
	opHeader          = 0x01
	opFooter          = 0x02
	opSchema          = 0x03
	opChannel         = 0x04
	opMessage         = 0x05
	opChunk           = 0x06
	opMessageIndex    = 0x07
	opChunkIndex      = 0x08
	opAttachment      = 0x09
	opAttachmentIndex = 0x0a
	opStatistics      = 0x0b
	opMetadata        = 0x0c
	opMetadataIndex   = 0x0d
	opSummaryOffset   = 0x0e
	opDataEnd         = 0x0f
)

// Sizes of records and of their fixed parts.
const (
	recordHead       = 9  // opcode and length, before every record
	messageHead      = 22 // channel, sequence and times, before a message's data
	chunkHead        = 40 // a chunk's fields, without the name of its compression and its records
	footerSize       = 20
	dataEndSize      = 4
	messageIndexHead = 6  // a message index's fields, without its entries
	messageIndexItem = 16 // log time and offset of a message
	attachmentHead   = 36 // an attachment's fields, without its names and its data
)

// errShort: a record is shorter than its fields say.
var errShort = errors.New("the record is shorter than its fields")

var le = binary.LittleEndian

// recordAt reads a record's opcode and length. b has at least recordHead bytes.
func recordAt(b []byte) (op byte, n uint64) {
	return b[0], le.Uint64(b[1:recordHead])
}

// records walks records that lie one after the other in memory.
type records struct {
	b   []byte
	pos int // of the next record
}

// next returns the next record. It reports false at the end, or where no whole
// record follows: then pos is not len(b).
func (r *records) next() (op byte, body []byte, ok bool) {
	rest := r.b[r.pos:]
	if len(rest) < recordHead {
		return 0, nil, false
	}
	op, n := recordAt(rest)
	if n > uint64(len(rest)-recordHead) {
		return 0, nil, false
	}
	end := recordHead + int(n)
	r.pos += end
	return op, rest[recordHead:end:end], true
}

// fields reads the fields of one record. After the first that the record is
// too short for, all are zero and bad is true.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) take(n uint64) []byte {
	if n > uint64(len(f.b)) {
		f.b, f.bad = nil, true
		return nil
	}
	v := f.b[:n]
	f.b = f.b[n:]
	return v
}

func (f *fields) u16() uint16 {
	if v := f.take(2); v != nil {
		return le.Uint16(v)
	}
	return 0
}

func (f *fields) u32() uint32 {
	if v := f.take(4); v != nil {
		return le.Uint32(v)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if v := f.take(8); v != nil {
		return le.Uint64(v)
	}
	return 0
}

// sized reads bytes that have their length in four bytes before them.
func (f *fields) sized() []byte { return f.take(uint64(f.u32())) }

// text is a string as the rest of the program can pass on: names go through
// JSON, which holds nothing but UTF-8.
func (f *fields) text() string { return strings.ToValidUTF8(string(f.sized()), "\uFFFD") }

// compression reads the name of a compression. There are many chunks and few
// names: the usual ones cost no memory.
func (f *fields) compression() string {
	b := f.sized()
	switch string(b) {
	case zstdName:
		return zstdName
	case lz4Name:
		return lz4Name
	}
	return string(b)
}

// texts reads a map of strings. Of a key that occurs twice the last value counts.
func (f *fields) texts() map[string]string {
	entries := fields{b: f.sized()}
	m := make(map[string]string)
	for len(entries.b) > 0 {
		k, v := entries.text(), entries.text()
		if entries.bad {
			f.bad = true
			return nil
		}
		m[k] = v
	}
	return m
}

func (f *fields) err() error {
	if f.bad {
		return errShort
	}
	return nil
}

type header struct{ profile, library string }

func parseHeader(b []byte) (header, error) {
	f := fields{b: b}
	h := header{profile: f.text(), library: f.text()}
	return h, f.err()
}

// parseSchema reads a schema whose data stays part of b.
func parseSchema(b []byte) (*recording.Schema, error) {
	f := fields{b: b}
	s := &recording.Schema{
		ID:     f.u16(),
		Schema: decode.Schema{Name: f.text(), Encoding: f.text(), Data: f.sized()},
	}
	return s, f.err()
}

func parseChannel(b []byte) (*recording.Channel, error) {
	f := fields{b: b}
	c := &recording.Channel{
		ID: f.u16(), SchemaID: f.u16(),
		Topic: f.text(), MessageEncoding: f.text(), Metadata: f.texts(),
	}
	return c, f.err()
}

// chunkInfo is a chunk without its records.
type chunkInfo struct {
	start, end  uint64 // log times
	size        uint64 // of the records when decompressed
	crc         uint32 // of the same; 0: not given
	compression string
	packed      uint64 // size of the records as they lie in the file
	records     int    // where in the chunk's body the records begin
}

// parseChunkInfo reads a chunk's fields from the beginning of its body.
func parseChunkInfo(b []byte) (chunkInfo, error) {
	f := fields{b: b}
	c := chunkInfo{start: f.u64(), end: f.u64(), size: f.u64(), crc: f.u32(), compression: f.compression(), packed: f.u64()}
	c.records = len(b) - len(f.b)
	return c, f.err()
}

// compressionName is the name of a compression for people.
func compressionName(c string) string {
	if c == "" {
		return "none"
	}
	return shortName(c)
}

// shortName is a name from a file, short enough for a warning.
func shortName(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// counted is a number of things in words.
func counted[N int | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// chunkIndex is what the summary says of a chunk.
type chunkIndex struct {
	start, end   uint64 // log times
	offset       uint64 // of the chunk record in the file
	length       uint64 // of the chunk record with its head
	indexes      []byte // channel id and offset of each message index record, 10 bytes each
	indexLength  uint64 // of the message index records together, behind the chunk
	compression  string
	packed, size uint64
}

const indexesItem = 10

func parseChunkIndex(b []byte) (chunkIndex, error) {
	f := fields{b: b}
	c := chunkIndex{
		start: f.u64(), end: f.u64(), offset: f.u64(), length: f.u64(),
		indexes: f.sized(), indexLength: f.u64(), compression: f.compression(), packed: f.u64(), size: f.u64(),
	}
	if len(c.indexes)%indexesItem != 0 {
		f.bad = true
	}
	return c, f.err()
}

// channelAt returns the id of the i-th channel that the chunk has messages of.
func (c *chunkIndex) channelAt(i int) uint16 { return le.Uint16(c.indexes[i*indexesItem:]) }

func (c *chunkIndex) channels() int { return len(c.indexes) / indexesItem }

// messages returns how many messages the message index records have room for:
// each record has a head and 16 bytes a message. It reports false when the
// sizes can't be right.
func (c *chunkIndex) messages() (uint64, bool) {
	heads := uint64(c.channels()) * (recordHead + messageIndexHead)
	if c.indexLength < heads || (c.indexLength-heads)%messageIndexItem != 0 {
		return 0, false
	}
	return (c.indexLength - heads) / messageIndexItem, true
}

type statistics struct {
	messages   uint64
	start, end uint64
	counts     map[uint16]uint64 // messages by channel
}

func parseStatistics(b []byte) (*statistics, error) {
	f := fields{b: b}
	s := &statistics{messages: f.u64()}
	f.take(2 + 4 + 4 + 4 + 4) // counts of schemas, channels, attachments, metadata and chunks
	s.start, s.end = f.u64(), f.u64()
	counts := fields{b: f.sized()}
	s.counts = make(map[uint16]uint64, len(counts.b)/10)
	for len(counts.b) > 0 && !counts.bad {
		id, n := counts.u16(), counts.u64()
		s.counts[id] = n
	}
	f.bad = f.bad || counts.bad
	return s, f.err()
}

type footer struct {
	summaryStart uint64
	summaryCRC   uint32
}

func parseFooter(b []byte) (footer, error) {
	f := fields{b: b}
	v := footer{summaryStart: f.u64()}
	f.u64() // start of the summary offset section
	v.summaryCRC = f.u32()
	return v, f.err()
}

func parseMetadata(b []byte) (recording.Metadata, error) {
	f := fields{b: b}
	m := recording.Metadata{Name: f.text(), Values: f.texts()}
	return m, f.err()
}

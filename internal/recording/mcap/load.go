package mcap

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"tapedeck/internal/recording"
)

// load reads a span's records into scratch, decompressed. A span that can't be
// read, or is not what it says it is, gives none and a warning.
func (f *file) load(s span, scratch *recording.Scratch, notes *recording.Warnings) []byte {
	raw, err := f.read(s, scratch)
	if err != nil {
		notes.Add(recording.WarnReadFailed, s.offset, "%d bytes could not be read and are lost: %v", s.size, err)
		return nil
	}
	if !s.chunk {
		return raw
	}
	data, code, err := unpack(s, raw, scratch)
	if err != nil {
		notes.Add(code, s.offset, "a chunk of %d bytes is lost: %v", s.size, err)
		return nil
	}
	return data
}

// read reads the span's bytes as they lie in the file.
func (f *file) read(s span, scratch *recording.Scratch) ([]byte, error) {
	size := s.size
	if s.cut {
		size = min(size, maxRecord)
	}
	if size > maxRecord+maxName {
		return nil, errors.New("it is larger than is read into memory")
	}
	if int64(cap(scratch.Raw)) < size {
		scratch.Raw = make([]byte, size)
	}
	scratch.Raw = scratch.Raw[:size]
	n, err := f.r.ReadAt(scratch.Raw, s.offset)
	if int64(n) == size {
		return scratch.Raw, nil
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the file became shorter meanwhile")
	}
	return nil, err
}

// unpack returns the records of the chunk in raw. The error says what is wrong
// with it, and code is that of its warning.
func unpack(s span, raw []byte, scratch *recording.Scratch) (data []byte, code string, err error) {
	op, n := recordAt(raw)
	if op != opChunk || !s.cut && n != uint64(s.size-recordHead) {
		return nil, recording.WarnBadChunk, errors.New("its index points at something else")
	}
	body := raw[recordHead:]
	info, err := parseChunkInfo(body)
	if err != nil {
		return nil, recording.WarnBadChunk, err
	}
	packed := body[info.records:]
	if s.cut {
		scratch.Data, err = salvage(info.compression, packed, scratch.Data)
		if err != nil {
			err = fmt.Errorf("its end is missing, and nothing could be read of its beginning: %w", err)
		}
		return scratch.Data, recording.WarnCutChunk, err
	}
	if info.packed > uint64(len(packed)) {
		return nil, recording.WarnBadChunk, fmt.Errorf("its records should have %d bytes, the chunk has %d", info.packed, len(packed))
	}
	packed = packed[:info.packed] // newer versions may add fields at the end of any record
	if info.compression == "" {
		data = packed
		if info.size != uint64(len(packed)) {
			return nil, recording.WarnBadChunk, fmt.Errorf("its records should have %d bytes, the chunk has %d", info.size, len(packed))
		}
	} else {
		scratch.Data, err = inflate(info.compression, packed, info.size, scratch.Data)
		data = scratch.Data
		if err != nil {
			return nil, codeOf(err), fmt.Errorf("%d bytes of %s should give %d: %w", len(packed), compressionName(info.compression), info.size, err)
		}
	}
	if sum := crc32.ChecksumIEEE(data); info.crc != 0 && info.crc != sum {
		return nil, recording.WarnChunkCRC, fmt.Errorf("its records have the checksum %08x, it says %08x", sum, info.crc)
	}
	return data, "", nil
}

func codeOf(err error) string {
	if errors.Is(err, errCompression) {
		return recording.WarnUnsupportedCompression
	}
	return recording.WarnBadChunk
}

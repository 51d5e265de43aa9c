package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Packed is content in the form that stores keep: compressed JSON. nil is none.
type Packed []byte

// maxUnpacked bounds what a stored content may take in memory.
const maxUnpacked = 512 << 20

var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(0)))
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked)))
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Pack packs content.
func Pack(parts []Part) (Packed, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	if isLong(parts) {
		return packLong(parts)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return nil, fmt.Errorf("packing content: %w", err)
	}
	// The encoder gives a buffer as large as the text; what is kept for long must
	// not hold that.
	return bytes.Clone(packer().EncodeAll(text, nil)), nil
}

// Unpack is the content again.
func (p Packed) Unpack() ([]Part, error) {
	if len(p) == 0 {
		return []Part{}, nil
	}
	text, err := unpacker().DecodeAll(p, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking content: %w", err)
	}
	var parts []Part
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, fmt.Errorf("unpacking content: %w", err)
	}
	return parts, nil
}

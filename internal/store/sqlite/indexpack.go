package sqlite

import (
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tapedeck/internal/store"
)

// maxText bounds what a stored text may take in memory.
const maxText = 512 << 20

var (
	textPacker = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithZeroFrames(true))
	})
	textUnpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxText))
	})
)

func packText(text string) ([]byte, error) {
	packer, err := textPacker()
	if err != nil {
		return nil, err
	}
	return packer.EncodeAll([]byte(text), nil), nil
}

func unpackText(data []byte) (string, error) {
	unpacker, err := textUnpacker()
	if err != nil {
		return "", err
	}
	text, err := unpacker.DecodeAll(data, nil)
	if err != nil {
		return "", fmt.Errorf("%w: a stored text: %w", store.ErrUnavailable, err)
	}
	return string(text), nil
}

// packHash is a hash in the form that it is stored in: what is hex takes half.
func packHash(hash string) any {
	packed, err := hex.DecodeString(hash)
	if err != nil || hex.EncodeToString(packed) != hash {
		return hash
	}
	return packed
}

// hash is the next column's hash.
func (r *row) hash() string {
	switch v := r.value().(type) {
	case string:
		return v
	case []byte:
		return hex.EncodeToString(v)
	}
	return ""
}

package mcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Names of compressions.
const (
	zstdName = "zstd"
	lz4Name  = "lz4"
)

var (
	errCompression = errors.New("unknown compression")
	errBomb        = errors.New("it claims to decompress to far more than such a file holds")
	errLonger      = errors.New("it decompresses to more than it says")
)

// streamWindow is how far back zstd data may refer when it is read as a stream:
// what every decoder must support, and what recorders keep to.
const streamWindow = 8 << 20

var zstdDecoders = sync.Pool{New: func() any {
	return newZstd(zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxRecord))
}}

var zstdStreams = sync.Pool{New: func() any {
	return newZstd(zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(streamWindow))
}}

var lz4Streams = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

func newZstd(opts ...zstd.DOption) *zstd.Decoder {
	opts = append(opts, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord))
	d, err := zstd.NewReader(nil, opts...)
	if err != nil {
		panic(err) // the options are wrong, and they are constant
	}
	return d
}

// inflate decompresses src, which should give size bytes, into buf's memory or
// new memory. Memory grows with what comes out, not with what size says.
func inflate(compression string, src []byte, size uint64, buf []byte) ([]byte, error) {
	switch {
	case size > maxRecord, size > suspectSize && size/suspectRatio > uint64(len(src)):
		return buf[:0], errBomb
	case compression == zstdName && size <= believable(src):
		return inflateZstd(src, int(size), buf)
	}
	out, err := inflateStream(compression, src, size, buf)
	if err == nil && uint64(len(out)) != size {
		err = io.ErrUnexpectedEOF
	}
	return out, err
}

// believable is how many bytes src may claim to decompress to without having
// shown any.
func believable(src []byte) uint64 {
	return max(backedMinimum, backedRatio*uint64(len(src)))
}

// inflateZstd decompresses all frames of src at once.
func inflateZstd(src []byte, size int, buf []byte) ([]byte, error) {
	if cap(buf) < size {
		buf = make([]byte, 0, size)
	}
	d := zstdDecoders.Get().(*zstd.Decoder)
	defer zstdDecoders.Put(d)
	out, err := d.DecodeAll(src, buf[:0:size])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return out, errLonger
	case errors.Is(err, zstd.ErrMagicMismatch) && len(out) == size && size > 0:
		return out, nil // padding after the last frame, which some writers leave
	case err == nil && len(out) != size:
		return out, fmt.Errorf("it decompresses to %d bytes", len(out))
	}
	return out, err
}

// salvage decompresses what it can of src, whose end is missing.
func salvage(compression string, src, buf []byte) ([]byte, error) {
	limit := min(maxRecord, max(suspectSize, suspectRatio*uint64(len(src))))
	out, err := inflateStream(compression, src, limit, buf)
	if len(out) > 0 {
		return out, nil
	}
	return out, err
}

// inflateStream decompresses src bit by bit, up to size bytes. What came out
// before an error is returned with it.
func inflateStream(compression string, src []byte, size uint64, buf []byte) ([]byte, error) {
	switch compression {
	case zstdName:
		d := zstdStreams.Get().(*zstd.Decoder)
		defer zstdStreams.Put(d)
		if err := d.Reset(bytes.NewReader(src)); err != nil {
			return buf[:0], err
		}
		out, err := readGrowing(d, src, size, buf)
		_ = d.Reset(nil) // lets go of src
		return out, err
	case lz4Name:
		d := lz4Streams.Get().(*lz4.Reader)
		defer lz4Streams.Put(d)
		d.Reset(bytes.NewReader(src))
		return readGrowing(d, src, size, buf)
	}
	return buf[:0], fmt.Errorf("%w %q", errCompression, compressionName(compression))
}

// readGrowing reads r to its end, which should come after at most size bytes.
func readGrowing(r io.Reader, src []byte, size uint64, buf []byte) ([]byte, error) {
	if first := min(size, believable(src)); uint64(cap(buf)) < first {
		buf = make([]byte, 0, first)
	}
	buf = buf[:0]
	for {
		if uint64(len(buf)) == size {
			return buf, atEnd(r)
		}
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(size, 2*uint64(cap(buf))))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):min(uint64(cap(buf)), size)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// atEnd makes sure that nothing follows, and lets the decompressor verify its
// checksum.
func atEnd(r io.Reader) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	if n > 0 {
		return errLonger
	}
	if errors.Is(err, io.EOF) || errors.Is(err, zstd.ErrMagicMismatch) {
		return nil
	}
	return err
}

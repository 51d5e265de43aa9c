package body

import "fmt"

const (
	// maxHeight bounds how deep lists may lie in lists: more than any body needs
	// that fits into memory.
	maxHeight = 16
	// smallest is less than what pieces hold on the average: a body of a given
	// size has no more pieces than it says.
	smallest = 64
	// trusted is the size up to which memory is taken before the content is seen.
	trusted = 1 << 30
)

// Read puts a body together. stored is its root, size how long it is; fetch
// returns the stored forms of at most a list's pieces, in their order. The body's
// hash is not looked at: see [Verify].
func Read(stored []byte, size int64, fetch func([]ID) ([][]byte, error)) ([]byte, error) {
	if size < 0 {
		return nil, fmt.Errorf("%w: its size is %d", ErrDamaged, size)
	}
	r := reader{size: size, left: size/smallest + 2*maxHeight, fetch: fetch, content: make([]byte, 0, min(size, trusted))}
	if err := r.add(stored, 0); err != nil {
		return nil, err
	}
	if int64(len(r.content)) != size {
		return nil, fmt.Errorf("%w: %d of %d bytes are there", ErrDamaged, len(r.content), size)
	}
	return r.content, nil
}

type reader struct {
	content []byte
	size    int64
	left    int64 // pieces that may still come
	fetch   func([]ID) ([][]byte, error)
	scratch []byte // for a piece
}

// add adds what a piece holds.
func (r *reader) add(stored []byte, depth int) error {
	if r.left--; r.left < 0 {
		return fmt.Errorf("%w: more pieces than %d bytes have", ErrDamaged, r.size)
	}
	ids := References(stored)
	if ids == nil {
		return r.append(stored)
	}
	if depth == maxHeight {
		return fmt.Errorf("%w: its lists lie deeper than %d", ErrDamaged, maxHeight)
	}
	pieces, err := r.fetch(ids)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		if err := r.add(piece, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// append adds content.
func (r *reader) append(stored []byte) error {
	content, err := decode(r.scratch[:0], stored)
	if err != nil {
		return err
	}
	r.scratch = content
	if int64(len(r.content))+int64(len(content)) > r.size {
		return fmt.Errorf("%w: more than %d bytes are there", ErrDamaged, r.size)
	}
	r.content = append(r.content, content...)
	return nil
}

// decode is what a piece of content holds, in the buffer.
func decode(buffer, stored []byte) ([]byte, error) {
	switch {
	case len(stored) > 0 && stored[0] == formPlain:
		return append(buffer, stored[1:]...), nil
	case len(stored) > 0 && stored[0] == formPacked:
		content, err := unpacker().DecodeAll(stored[1:], buffer)
		if err != nil {
			return nil, fmt.Errorf("%w: unpacking a piece: %w", ErrDamaged, err)
		}
		return content, nil
	}
	return nil, fmt.Errorf("%w: a piece of no known form", ErrDamaged)
}

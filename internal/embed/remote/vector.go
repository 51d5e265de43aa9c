package remote

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"tapedeck/internal/embed"
)

// A Vector is one as servers write it in JSON: an array of numbers, or the base64
// of 32-bit floats in little-endian order.
type Vector []float32

// errVector is returned for JSON that is no vector.
var errVector = errors.New("a vector is an array of numbers or their base64")

// UnmarshalJSON implements json.Unmarshaler. A null among the numbers is not a
// number, as which servers write it.
func (v *Vector) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	switch {
	case bytes.Equal(text, []byte("null")):
		*v = nil
		return nil
	case len(text) > 0 && text[0] == '"':
		return v.readBase64(text)
	case len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']':
		return errVector
	}
	list := text[1 : len(text)-1]
	if len(bytes.TrimSpace(list)) == 0 {
		*v = Vector{}
		return nil
	}
	numbers := make(Vector, 0, bytes.Count(list, []byte{','})+1)
	for field := range bytes.SplitSeq(list, []byte{','}) {
		n, err := readNumber(bytes.TrimSpace(field))
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	*v = numbers
	return nil
}

func readNumber(text []byte) (float32, error) {
	if bytes.Equal(text, []byte("null")) {
		return float32(math.NaN()), nil
	}
	n, err := strconv.ParseFloat(string(text), 32)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%w: there is %s among them", errVector, cut(string(text), 40))
	}
	return float32(n), nil // ±Inf when it is out of range
}

func (v *Vector) readBase64(text []byte) error {
	var encoded []byte // encoding/json decodes base64 into bytes
	if err := json.Unmarshal(text, &encoded); err != nil {
		var corrupt base64.CorruptInputError
		if errors.As(err, &corrupt) {
			return fmt.Errorf("%w: %w", errVector, corrupt)
		}
		return errVector
	}
	if len(encoded)%4 != 0 {
		return fmt.Errorf("%w: %d bytes are no 32-bit numbers", errVector, len(encoded))
	}
	numbers := make(Vector, 0, len(encoded)/4)
	for ; len(encoded) > 0; encoded = encoded[4:] {
		numbers = append(numbers, math.Float32frombits(binary.LittleEndian.Uint32(encoded)))
	}
	*v = numbers
	return nil
}

// normalise brings v to length 1. It fails with a *embed.TextError when v has no
// length or is not made of numbers.
func (v Vector) normalise(text int) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return &embed.TextError{Text: text, Detail: "the model computes a vector for the text with numbers that are none (NaN or infinite)"}
	}
	if sum == 0 {
		return &embed.TextError{Text: text, Detail: "the model computes a vector of zeros for the text"}
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return nil
}

// check makes an answer's vectors fit to be returned, or says why they are not.
func (e *Embedder) check(vectors []Vector, texts int) ([][]float32, error) {
	if len(vectors) != texts {
		return nil, fmt.Errorf("%w: %s answers %d texts with %d vectors", embed.ErrRefused, e.server(), texts, len(vectors))
	}
	width := int(e.width.Load())
	if width == 0 {
		width = len(vectors[0])
	}
	checked := make([][]float32, texts)
	for i, v := range vectors {
		if len(v) != width || len(v) == 0 {
			return nil, e.wrongWidth(width, len(v))
		}
		if err := v.normalise(i); err != nil {
			return nil, err
		}
		checked[i] = v
	}
	// Two first answers at the same time must agree as well.
	if !e.width.CompareAndSwap(0, int64(width)) && int(e.width.Load()) != width {
		return nil, e.wrongWidth(int(e.width.Load()), width)
	}
	return checked, nil
}

func (e *Embedder) wrongWidth(want, got int) error {
	if got == 0 {
		return fmt.Errorf("%w: %s answers with an empty vector", embed.ErrRefused, e.server())
	}
	err := fmt.Errorf("%w: expected %d, %s gives %d for %s", embed.ErrWidth, want, e.server(), got, e.options.Model)
	if e.options.Dimensions > 0 {
		return fmt.Errorf("%w, whatever it is asked for: leave the dimensions out, or set them to that", err)
	}
	return err
}

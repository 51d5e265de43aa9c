package builtin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// errData: the data is no model, or not of this version.
var errData = errors.New("not a model of this program")

// The data begins with a header of little-endian numbers, each of 4 bytes:
//
//	magic "TDEM" · version · width · tokens · bytes of the name · bytes of the vocabulary ·
//	a float32: how large the numbers of an unknown word are
//
// Then come the name, the vocabulary (tokens, each ended by a line feed, a
// continuing one with "##" before it), a float32 a token by which its numbers are
// multiplied, and the tokens' numbers, width int8 each.
const (
	magic      = "TDEM"
	version    = 1
	headerSize = 28

	maxWidth  = 1 << 12
	maxTokens = 1 << 20
	maxScale  = 1 << 10 // so that no sum overflows, however long a text is
)

// A model is the data as it is used. Numbers and names stay where the data is.
type model struct {
	name       string
	width      int
	vocabulary vocabulary
	scales     []float32
	numbers    string // int8, width a token
	unknown    float32
}

// parse reads a model and checks that its parts are as large as they have to be.
func parse(data string) (*model, error) {
	if len(data) < headerSize || data[:len(magic)] != magic {
		return nil, fmt.Errorf("%w: expected %d bytes that begin with %q", errData, headerSize, magic)
	}
	header := data[:headerSize]
	if v := uintAt(header, 1); v != version {
		return nil, fmt.Errorf("%w: it has version %d; expected %d", errData, v, version)
	}
	width, tokens, nameSize, vocabularySize := uintAt(header, 2), uintAt(header, 3), uintAt(header, 4), uintAt(header, 5)
	if width < 1 || width > maxWidth || tokens < 1 || tokens > maxTokens {
		return nil, fmt.Errorf("%w: %d tokens of width %d; expected 1 to %d of 1 to %d", errData, tokens, width, maxTokens, maxWidth)
	}
	unknown, err := scaleAt(header, 6)
	if err != nil || unknown == 0 {
		return nil, fmt.Errorf("%w: unknown words have numbers of %v; expected more than 0", errData, unknown)
	}
	rest := int64(len(data) - headerSize)
	if want := nameSize + vocabularySize + tokens*(4+width); rest != want {
		return nil, fmt.Errorf("%w: %d bytes follow the header; expected %d", errData, rest, want)
	}
	data = data[headerSize:]
	m := &model{width: int(width), unknown: unknown, name: data[:nameSize]}
	data = data[nameSize:]
	if m.vocabulary, err = parseVocabulary(data[:vocabularySize], int(tokens)); err != nil {
		return nil, err
	}
	data = data[vocabularySize:]
	if m.scales, err = parseScales(data[:4*tokens]); err != nil {
		return nil, err
	}
	m.numbers = data[4*tokens:]
	return m, nil
}

func parseVocabulary(lines string, tokens int) (vocabulary, error) {
	if n := strings.Count(lines, "\n"); n != tokens || !strings.HasSuffix(lines, "\n") {
		return vocabulary{}, fmt.Errorf("%w: the vocabulary has %d lines; expected %d", errData, n, tokens)
	}
	v := vocabulary{first: make(map[string]int32, tokens), further: make(map[string]int32, tokens/4)}
	var id int32
	for token := range strings.Lines(lines) {
		v.add(token[:len(token)-1], id)
		id++
	}
	return v, nil
}

func parseScales(numbers string) ([]float32, error) {
	scales := make([]float32, len(numbers)/4)
	for i := range scales {
		var err error
		if scales[i], err = scaleAt(numbers, i); err != nil {
			return nil, fmt.Errorf("token %d: %w", i, err)
		}
	}
	return scales, nil
}

// uintAt is the i-th number of 4 bytes in data; no sum of such overflows.
func uintAt(data string, i int) int64 {
	return int64(binary.LittleEndian.Uint32([]byte(data[4*i : 4*i+4])))
}

// scaleAt is that number as a factor.
func scaleAt(data string, i int) (float32, error) {
	s := math.Float32frombits(uint32(uintAt(data, i)))
	if !(s >= 0 && s <= maxScale) { // nor NaN
		return 0, fmt.Errorf("%w: a scale is %v; expected 0 to %d", errData, s, maxScale)
	}
	return s, nil
}

// row is the numbers of a token.
func (m *model) row(id int32) string {
	at := int(id) * m.width
	return m.numbers[at : at+m.width]
}

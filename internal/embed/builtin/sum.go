package builtin

import (
	"hash/fnv"
	"math"
)

// A summer makes the vectors of texts, one after the other.
type summer struct {
	model *model
	split splitter
	ids   []int32
	sum   []float32
}

func newSummer(m *model) *summer {
	return &summer{model: m, sum: make([]float32, m.width)}
}

// vector is the vector of a text; nil: the text is blank.
//
// Products are converted before they are added, here and below: without, compilers
// for some processors round once instead of twice, and the bits differ.
func (s *summer) vector(text string) []float32 {
	clear(s.sum)
	words := 0
	s.split.words(text, func(word []byte) {
		words++
		s.ids = s.model.vocabulary.tokens(word, s.ids[:0])
		for _, id := range s.ids {
			s.add(s.model.row(id), s.model.scales[id])
		}
		if len(s.ids) == 0 {
			s.addUnknown(word)
		}
	})
	if words == 0 {
		return nil
	}
	if v := unit(s.sum); v != nil {
		return v
	}
	s.addUnknown([]byte(text)) // the tokens' vectors cancel each other
	return unit(s.sum)
}

// add adds a token's numbers, each times scale.
func (s *summer) add(row string, scale float32) {
	sum := s.sum
	for i := 0; i < len(row) && i < len(sum); i++ {
		sum[i] += float32(scale * float32(int8(row[i])))
	}
}

// addUnknown adds a vector that depends on all of a word and on nothing else. The
// vectors of two words are about perpendicular.
func (s *summer) addUnknown(word []byte) {
	hash := fnv.New64a()
	hash.Write(word)
	state := hash.Sum64()
	var bits uint64
	for i := range s.sum {
		if i%64 == 0 {
			state, bits = splitMix(state)
		}
		if bits&1 == 0 {
			s.sum[i] += s.model.unknown
		} else {
			s.sum[i] -= s.model.unknown
		}
		bits >>= 1
	}
}

// splitMix is a step of the generator SplitMix64: its next state, and 64 random bits.
func splitMix(state uint64) (next, bits uint64) {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return state, z ^ z>>31
}

// unit is v brought to length 1; nil if it has no direction.
func unit(v []float32) []float32 {
	var squares float64
	for _, x := range v {
		squares += float64(float64(x) * float64(x))
	}
	length := math.Sqrt(squares)
	if length < 1e-6 {
		return nil
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}

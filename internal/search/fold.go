package search

import (
	"cmp"
	"context"
	"slices"
)

const (
	// nearDuplicate is how much two texts have in common, of what either has, that
	// are shown as one.
	nearDuplicate = 0.9
	// textsPage is how many candidates' texts are read at a time, at least.
	textsPage = 32
	// lookBehind is how many candidates behind the last hit are compared as well, to
	// count near-duplicates.
	lookBehind = 16
)

// fold keeps the first n candidates that are no near-duplicates of better ones,
// and counts those with the one that stands for them. Candidates whose document
// went in the meantime are left out.
func (s *Service) fold(ctx context.Context, ranked []*candidate, n int) ([]*candidate, error) {
	var kept []*candidate
	var sketches []sketch
	byHash := map[string]*candidate{}
	behind, read := 0, 0
	for i, c := range ranked {
		if same := byHash[c.Hash]; same != nil {
			same.similar++
			continue
		}
		if len(kept) == n {
			if behind++; behind > lookBehind {
				continue // only equal texts are still counted
			}
		}
		if i >= read {
			read = min(i+max(textsPage, n-len(kept)), len(ranked))
			if err := s.readTexts(ctx, ranked[i:read]); err != nil {
				return nil, err
			}
		}
		if c.text == "" {
			continue
		}
		sketch := newSketch(c.text)
		if at := slices.IndexFunc(sketches, sketch.isNear); at >= 0 {
			kept[at].similar++
			byHash[c.Hash] = kept[at]
			continue
		}
		if len(kept) < n {
			kept, sketches = append(kept, c), append(sketches, sketch)
			byHash[c.Hash] = c
		}
	}
	return kept, nil
}

// readTexts reads the texts of candidates that are not read yet.
func (s *Service) readTexts(ctx context.Context, list []*candidate) error {
	var ids []string
	for _, c := range list {
		if c.text == "" {
			ids = append(ids, c.SpanID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	texts, err := s.store.Texts(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range list {
		c.text = cmp.Or(c.text, texts[c.SpanID])
	}
	return nil
}

const (
	// shingle is how many words in a row are compared.
	shingle = 4
	// sketchSize is how many shingles stand for a text: those with the least hashes,
	// which are a fair sample.
	sketchSize = 128
	// sketchedWords bounds how many words of a text are looked at.
	sketchedWords = 20000
)

// A sketch is a sample of a text's shingles: the least hashes of them, in order.
type sketch struct {
	hashes []uint64
	words  int
}

func newSketch(text string) sketch {
	var s sketch
	var last [shingle]uint64
	for start, end := range words(text) {
		copy(last[:], last[1:])
		last[shingle-1] = hashWord(text[start:end])
		if s.words++; s.words >= shingle {
			s.hashes = append(s.hashes, hashShingle(last))
		}
		if s.words == sketchedWords {
			break
		}
	}
	if len(s.hashes) == 0 {
		s.hashes = append(s.hashes, hashShingle(last))
	}
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	s.hashes = slices.Clone(s.hashes[:min(sketchSize, len(s.hashes))])
	return s
}

// hashWord is FNV-1a of a word, ASCII letters of either case being the same.
func hashWord(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func hashShingle(words [shingle]uint64) uint64 {
	h := uint64(0)
	for _, w := range words {
		h = h*0x9e3779b97f4a7c15 + w
		h ^= h >> 29
	}
	return h
}

// isNear reports whether two texts are near-duplicates. Of the least hashes of
// both together, it is the share that both have.
func (s sketch) isNear(o sketch) bool {
	if s.words == 0 || float64(min(s.words, o.words)) < 0.8*float64(max(s.words, o.words)) {
		return false
	}
	i, j, union, both := 0, 0, 0, 0
	const differ = sketchSize * (1 - nearDuplicate) // more of them settle it
	for union < sketchSize && float64(union-both) <= differ && (i < len(s.hashes) || j < len(o.hashes)) {
		union++
		switch {
		case j == len(o.hashes) || i < len(s.hashes) && s.hashes[i] < o.hashes[j]:
			i++
		case i == len(s.hashes) || o.hashes[j] < s.hashes[i]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return float64(both) >= nearDuplicate*float64(union)
}

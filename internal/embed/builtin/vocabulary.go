package builtin

import (
	"strings"
	"unicode/utf8"
)

// maxWordRunes is how long a word can be that has tokens: that of the tokenizer the
// model was trained with. Longer ones are hashes and encoded data.
const maxWordRunes = 100

// A vocabulary finds the tokens of words.
type vocabulary struct {
	first   map[string]int32 // that a word can begin with
	further map[string]int32 // that can follow in it, without their "##"
	longest int              // bytes of the longest token
}

func (v *vocabulary) add(token string, id int32) {
	if rest, ok := strings.CutPrefix(token, "##"); ok && rest != "" {
		token = rest
		v.further[rest] = id
	} else {
		v.first[token] = id
	}
	v.longest = max(v.longest, len(token))
}

// tokens appends the tokens of a word, always the longest that fits next (WordPiece).
// It appends none if they do not cover the word.
func (v *vocabulary) tokens(word []byte, ids []int32) []int32 {
	if len(word) > maxWordRunes && utf8.RuneCount(word) > maxWordRunes {
		return ids
	}
	before := len(ids)
	known := v.first
	for len(word) > 0 {
		id, size := v.longestPrefix(known, word)
		if size == 0 {
			return ids[:before]
		}
		ids = append(ids, id)
		word = word[size:]
		known = v.further
	}
	return ids
}

// longestPrefix finds the longest token that word begins with; size 0: there is none.
func (v *vocabulary) longestPrefix(known map[string]int32, word []byte) (id int32, size int) {
	for size := min(len(word), v.longest); size > 0; size-- {
		if size < len(word) && !utf8.RuneStart(word[size]) {
			continue
		}
		if id, ok := known[string(word[:size])]; ok {
			return id, size
		}
	}
	return 0, 0
}

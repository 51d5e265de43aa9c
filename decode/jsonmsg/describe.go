package jsonmsg

import (
	"strings"

	"tapedeck/decode"
)

// maxListed is how many of an enum's values a description names.
const maxListed = 16

// finish completes the shape that was built from a schema, and all that is in it.
func (s *shape) finish() {
	if s.declared == nullForm {
		s.declared = anyForm
	}
	s.describe()
	for _, m := range s.members {
		m.finish()
	}
	if s.extra != nil {
		s.extra.finish()
	}
	if s.elem != nil {
		s.elem.finish()
		if s.elem.json == bySchema {
			s.giveUp(bySchema)
		}
	}
	s.markStamp()
}

// fitsName sets how long the names of the columns in s are, below named bytes
// of others, and reports whether they are short enough. Names within lists are
// not joined.
func (s *shape) fitsName(named int) bool {
	s.named = named + len(s.key) + 1
	if s.named > maxName {
		return false
	}
	for _, m := range s.members {
		if !m.fitsName(s.named) {
			return false
		}
	}
	return s.elem == nil || s.elem.fitsName(0)
}

// describe makes the description one line, with the values that a schema lists.
// A title that only repeats the key, as generators write it, is left out.
func (s *shape) describe() {
	text := s.description
	if text == "" && bareName(s.title) != bareName(s.key) {
		text = s.title
	}
	if len(s.values) > 0 {
		listed := s.values
		if len(listed) > maxListed {
			listed = append(listed[:maxListed:maxListed], "…")
		}
		text += " (one of: " + strings.Join(listed, ", ") + ")"
	}
	s.description = decode.Describe(text)
}

var separators = strings.NewReplacer(" ", "", "_", "", "-", "")

func bareName(name string) string { return strings.ToLower(separators.Replace(name)) }

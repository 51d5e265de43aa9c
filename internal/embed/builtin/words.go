package builtin

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A splitter cuts texts into words as the tokenizer of BERT's uncased models does:
// lower case, no accents, every sign and every Chinese character a word of its own
// (github.com/google-research/bert, tokenization.py, BasicTokenizer; where the
// tokenizers library differs, as in what a control character is, this follows it).
type splitter struct {
	clean      []byte // the text without what is dropped
	decomposed []byte // that with accents as characters of their own
	plain      []byte // that without accents, in lower case
}

// words calls yield with each word of a text, in order. The word is valid until yield
// returns.
func (s *splitter) words(text string, yield func(word []byte)) {
	plain := s.normalize(text)
	start := 0
	end := func(i int) {
		if start < i {
			yield(plain[start:i])
		}
	}
	for i := 0; i < len(plain); {
		r, size := rune(plain[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(plain[i:])
		}
		switch {
		case isSpace(r):
			end(i)
			start = i + size
		case isSign(r):
			end(i)
			yield(plain[i : i+size])
			start = i + size
		}
		i += size
	}
	end(len(plain))
}

// normalize drops what is no text, sets Chinese characters apart, takes accents off
// and lowers capitals.
func (s *splitter) normalize(text string) []byte {
	s.clean = s.clean[:0]
	ascii := true
	for _, r := range text { // broken UTF-8 comes as RuneError, which is dropped
		switch {
		case r < utf8.RuneSelf:
			s.clean = appendASCII(s.clean, byte(r))
			continue
		case r == utf8.RuneError, isControl(r):
			continue
		case isSpace(r):
			s.clean = append(s.clean, ' ')
			continue
		case isChinese(r):
			s.clean = append(utf8.AppendRune(append(s.clean, ' '), r), ' ')
		default:
			s.clean = utf8.AppendRune(s.clean, r)
		}
		ascii = false
	}
	if ascii {
		return s.clean
	}
	s.decomposed = norm.NFD.Append(s.decomposed[:0], s.clean...)
	s.plain = s.plain[:0]
	for i := 0; i < len(s.decomposed); {
		r, size := utf8.DecodeRune(s.decomposed[i:])
		if !unicode.Is(unicode.Mn, r) {
			s.plain = utf8.AppendRune(s.plain, unicode.ToLower(r))
		}
		i += size
	}
	return s.plain
}

func appendASCII(clean []byte, b byte) []byte {
	switch {
	case 'A' <= b && b <= 'Z':
		return append(clean, b+'a'-'A')
	case b == '\t', b == '\n', b == '\r':
		return append(clean, ' ')
	case b < ' ', b == 0x7f:
		return clean
	}
	return append(clean, b)
}

func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' '
	}
	return unicode.Is(unicode.White_Space, r)
}

// isSign reports whether a character is punctuation. All of ASCII that is neither
// letter nor digit counts as such, "$" and "=" too.
func isSign(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x7f
	}
	return unicode.IsPunct(r)
}

// isControl reports whether a character beyond ASCII is dropped as one for control,
// format or private use.
func isControl(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isChinese reports whether a character is a Chinese ideograph, also as Japanese and
// Korean use it.
func isChinese(r rune) bool {
	return r >= 0x3400 && (r <= 0x4dbf ||
		r >= 0x4e00 && r <= 0x9fff ||
		r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f)
}

package document

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// maxIndent is the deepest indentation that is kept.
	maxIndent = 40
	// maxRepeat is how long a rule (-----, =====) stays.
	maxRepeat = 40
	// binaryShare: a line of which one character in this many is none that a
	// person reads is no text.
	binaryShare = 10
)

// tidy is a text without terminal escapes, control characters and lines that are
// no text, with its lines as they were, at most one empty line between them, and
// no more than two blanks between words.
func tidy(text string) string {
	t := tidier{out: make([]byte, 0, len(text))}
	for line := range strings.Lines(text) {
		t.line(strings.TrimSuffix(line, "\n"))
	}
	return string(bytes.Trim(t.out, "\n"))
}

type tidier struct {
	out   []byte
	empty int // lines in a row
}

// line adds a line. A carriage return begins a new one: progress bars are drawn
// with it.
func (t *tidier) line(line string) {
	for {
		first, rest, more := strings.Cut(line, "\r")
		t.add(first)
		if rest = strings.TrimLeft(rest, "\r"); !more || rest == "" {
			return
		}
		line = rest
	}
}

func (t *tidier) add(line string) {
	start := len(t.out)
	if noise := t.write(line, start); noise*binaryShare > len(line) {
		t.out = t.out[:start]
		if !bytes.HasSuffix(t.out, []byte(leftOut+"\n")) {
			t.out = append(t.out, leftOut+"\n"...)
		}
		return
	}
	t.out = append(t.out[:start], bytes.TrimRight(t.out[start:], " \t")...)
	if len(t.out) > start {
		t.empty = 0
	} else if t.empty++; t.empty > 1 {
		return
	}
	t.out = append(t.out, '\n')
}

// write adds a line's characters and counts those that are noise.
func (t *tidier) write(line string, start int) (noise int) {
	blanks, allowed, repeated := 0, maxIndent, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == ' ' || c == '\t' {
			if blanks++; blanks <= allowed {
				t.out = append(t.out, c)
			}
			continue
		}
		switch {
		case c == 0x1b:
			i += escapeLen(line[i:]) - 1
			continue
		case c == '\b': // printed over, as manual pages are
			t.out = t.out[:max(start, len(t.out)-1)]
			continue
		case c < ' ' || c == 0x7f:
			noise++
			continue
		case c >= utf8.RuneSelf:
			size, kind := special(line[i:])
			noise += kind.noise
			if kind.drop {
				i += size - 1
				continue
			}
		}
		blanks, allowed = 0, 2
		if repeated++; i == 0 || line[i-1] != c || !isRule(c) {
			repeated = 0
		}
		if repeated < maxRepeat {
			t.out = append(t.out, c)
		}
	}
	return noise
}

// isRule reports whether people draw rules with a character.
func isRule(c byte) bool { return strings.IndexByte("-=_*#~.+/", c) >= 0 }

type specialKind struct {
	drop  bool
	noise int
}

// special tells of a character beyond ASCII whether it is one that nobody sees,
// and whether it is none at all.
func special(text string) (size int, kind specialKind) {
	switch {
	case strings.HasPrefix(text, "\u200b"), strings.HasPrefix(text, "\ufeff"):
		return 3, specialKind{drop: true}
	case strings.HasPrefix(text, "\ufffd"):
		return 3, specialKind{noise: 3}
	case text[0] == 0xc2 && len(text) > 1 && text[1] < 0xa0: // U+0080 to U+009F
		return 2, specialKind{drop: true, noise: 2}
	}
	return 1, specialKind{}
}

// escapeLen is the length of the terminal escape at the beginning of a line.
func escapeLen(line string) int {
	if len(line) < 2 {
		return len(line)
	}
	switch line[1] {
	case '[': // colour, cursor: parameters up to a final letter
		i := 2
		for i < len(line) && line[i] >= 0x20 && line[i] < 0x40 {
			i++
		}
		if i < len(line) && line[i] >= 0x40 && line[i] < 0x7f {
			i++
		}
		return i
	case ']', 'P', '^', '_': // title, link: a text up to BEL or ESC \
		const longest = 4096
		for i := 2; i < min(len(line), longest); i++ {
			if line[i] == 0x07 {
				return i + 1
			}
			if line[i] == 0x1b {
				return i + min(2, len(line)-i)
			}
		}
		return 2
	case '(', ')', '#', '%':
		return min(3, len(line))
	default:
		if line[1] >= utf8.RuneSelf || line[1] < ' ' {
			return 1
		}
		return 2
	}
}

package document

// A byteSet says of each byte whether it belongs.
type byteSet [256]bool

func setOf(chars string) *byteSet {
	var s byteSet
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
)

var (
	alnumByte  = setOf(digits + upper + lower)
	wordByte   = setOf(digits + upper + lower + "_")
	tokenByte  = setOf(digits + upper + lower + "_-")
	dottedByte = setOf(digits + upper + lower + "_-.")
	upperByte  = setOf(digits + upper)
	hexByte    = setOf(digits + "abcdefABCDEF")
	bearerByte = setOf(digits + upper + lower + "_-.~+/=")
	pemByte    = setOf(digits + upper + lower + "+/=")
	base64Byte = setOf(digits + upper + lower + "_-+/=")
)

// runEnd is where the run of bytes in a set that begins at i ends.
func (s *byteSet) runEnd(text string, i int) int {
	for i < len(text) && s[text[i]] {
		i++
	}
	return i
}

// A tally counts what a text is made of.
type tally struct{ lower, upper, digit, other, changes int }

func tallyOf(text string) tally {
	var t tally
	var last byte
	for i := range len(text) {
		var class byte
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			class = 'a'
			t.lower++
		case c >= 'A' && c <= 'Z':
			class = 'A'
			t.upper++
		case c >= '0' && c <= '9':
			class = '0'
			t.digit++
		default:
			t.other++
		}
		// From a capital to a small letter is how words begin.
		if class != 0 && last != 0 && class != last && (last != 'A' || class != 'a') {
			t.changes++
		}
		last = class
	}
	return t
}

// random reports whether a text looks as if it was drawn: it changes between
// digits, small letters and capitals at least once in so many characters. Of
// drawn base64 and hex nearly every second does, of words and numbered names
// hardly one.
func random(text string, every int) bool {
	t := tallyOf(text)
	return t.changes*every >= len(text) && t.changes >= 3 && (t.digit > 0 || t.upper > 0 && t.lower > 0)
}

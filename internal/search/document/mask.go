package document

import "strings"

// Kinds of secrets, as a masked text names them.
const (
	apiKey      = "api key"
	accessToken = "access token"
	password    = "password"
	secret      = "secret"
	privateKey  = "private key"
	pemBlock    = "pem block"
	webhook     = "webhook"
)

var kinds = []string{apiKey, accessToken, password, secret, privateKey, pemBlock, webhook}

// mark stands in place of a secret.
func mark(kind string) string { return "[" + kind + "]" }

// isMarked reports whether a text holds a mark, or what was left out.
func isMarked(text string) bool {
	if !strings.Contains(text, "[") {
		return false
	}
	for _, kind := range kinds {
		if strings.Contains(text, mark(kind)) {
			return true
		}
	}
	return strings.Contains(text, leftOut)
}

// Mask replaces secrets in a text by what kind they were, as [api key]. Masking
// what is masked changes nothing.
func Mask(text string) string {
	m := masker{text: text}
	for m.at < len(text) {
		m.step()
	}
	if m.done == 0 && m.out == nil {
		return text
	}
	return string(append(m.out, text[m.done:]...))
}

// A masker goes over a text once. Words are looked at where they begin, the names
// that values are assigned to from the sign of the assignment back.
type masker struct {
	text string
	at   int    // where it is
	done int    // up to here the text is in out
	out  []byte // nil while nothing is masked
}

// hide masks text[start:end] and goes on behind it.
func (m *masker) hide(start, end int, kind string) {
	m.out = append(m.out, m.text[m.done:start]...)
	m.out = append(m.out, '[')
	m.out = append(m.out, kind...)
	m.out = append(m.out, ']')
	m.at, m.done = end, end
}

// Classes of bytes that begin something. Others are passed over.
const (
	passed byte = iota
	inWord
	inAssignment
	inDashes
	inEscape
	inPercent
)

var stepOf = func() (classes [256]byte) {
	for c := range classes {
		if wordByte[c] {
			classes[c] = inWord
		}
	}
	classes['='], classes[':'] = inAssignment, inAssignment
	classes['-'], classes['\\'], classes['%'] = inDashes, inEscape, inPercent
	return classes
}()

func (m *masker) step() {
	text, i := m.text, m.at
	for i < len(text) && stepOf[text[i]] == passed {
		i++
	}
	m.at = i
	if i == len(text) {
		return
	}
	switch stepOf[text[i]] {
	case inWord:
		if end, kind := wordSecret(text, i, m.done); end > i {
			m.hide(i, end, kind)
			return
		}
		m.at = wordByte.runEnd(text, i)
	case inAssignment:
		if m.url() || m.assignment() {
			return
		}
		m.at = i + 1
	case inDashes:
		m.dashes()
	case inEscape:
		m.at = i + backslashLen(text[i:])
	case inPercent:
		m.at = i + 1
		if i+2 < len(text) && hexByte[text[i+1]] && hexByte[text[i+2]] {
			m.at = i + 3 // %3Dghp_…: the word begins behind
		}
	}
}

// backslashLen is the length of an escape as JSON and shells spell it: a word
// behind "\n" begins there. Colours are spelled so as well.
func backslashLen(text string) int {
	if len(text) < 2 {
		return 1
	}
	n := 2
	switch text[1] {
	case 'u':
		n = 6
	case 'x', '0':
		n = 4
	case 'e', 'n', 'r', 't', 'b', 'f':
	default:
		return 1
	}
	n = min(n, len(text))
	for i := 2; i < n; i++ {
		if !hexByte[text[i]] {
			return 1
		}
	}
	if n < len(text) && text[n] == '[' {
		if end := escapeLen("\x1b" + text[n:min(len(text), n+16)]); text[n+end-2] == 'm' {
			return n + end - 1
		}
	}
	return n
}

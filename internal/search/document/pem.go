package document

import "strings"

const (
	pemDashes = "-----"
	pemBegin  = "-----BEGIN "
	pemEnd    = "-----END "
	// maxPEM bounds how far the end of a block is looked for.
	maxPEM = 64 << 10
	// maxLabel bounds what a block is called.
	maxLabel = 64
)

// dashes goes over a run of dashes: a PEM block, an option, or neither.
func (m *masker) dashes() {
	text, i := m.text, m.at
	j := i
	for j < len(text) && text[j] == '-' {
		j++
	}
	m.at = j
	if n := j - i; n < len(pemDashes) {
		m.option(i, j)
		return
	}
	start := j - len(pemDashes)
	switch {
	case strings.HasPrefix(text[start:], pemBegin):
		if end, kind := pemBlockEnd(text, start); end > 0 {
			m.hide(start, end, kind)
		}
	case strings.HasPrefix(text[start:], pemEnd):
		if end := labelEnd(text, start+len(pemEnd)); end > 0 {
			m.hide(m.done+pemBodyStart(text[m.done:start]), end, kindOfPEM(text[start:end]))
		}
	}
}

func kindOfPEM(label string) string {
	if strings.Contains(label, "PRIVATE") {
		return privateKey
	}
	return pemBlock
}

// labelEnd is where a line `-----BEGIN LABEL-----` ends, 0 if it is none.
func labelEnd(text string, label int) int {
	n := strings.Index(text[label:min(len(text), label+maxLabel)], pemDashes)
	if n < 0 || strings.ContainsAny(text[label:label+n], "\n\"'`<>") {
		return 0
	}
	return label + n + len(pemDashes)
}

// pemBlockEnd is where the block that begins at start ends. Of one that has no
// end, as it was cut off, it is where the lines of base64 end.
func pemBlockEnd(text string, start int) (end int, kind string) {
	body := labelEnd(text, start+len(pemBegin))
	if body == 0 {
		return 0, ""
	}
	kind = kindOfPEM(text[start:body])
	within := text[body:min(len(text), body+maxPEM)]
	if n := strings.Index(within, pemDashes); n >= 0 && strings.HasPrefix(within[n:], pemEnd) {
		if end := labelEnd(text, body+n+len(pemEnd)); end > 0 {
			return end, kind
		}
	}
	return pemBodyEnd(text, body), kind
}

// pemBodyEnd goes over lines of base64, with what stands before and between them:
// line ends, as such or escaped, numbers of lines, signs of a diff, quotes.
func pemBodyEnd(text string, i int) int {
	const shortest, widest = 16, 24
	for {
		start := i
		for start < len(text) && start-i < widest && !pemByte[text[start]] {
			start++
			if text[start-1] == '\\' && start < len(text) && strings.IndexByte("nrt", text[start]) >= 0 {
				start++
			}
		}
		if number := digitsEnd(text, start); number > start && number < len(text) && !pemByte[text[number]] {
			start = number
			for start < len(text) && start-i < widest && !pemByte[text[start]] {
				start++
			}
		}
		end := pemByte.runEnd(text, start)
		if end-start < shortest || !random(text[start:end], 8) {
			return i
		}
		i = end
	}
}

func digitsEnd(text string, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}

// pemBodyStart is where the lines of base64 at the end of a text begin: those of
// a block that lost its beginning.
func pemBodyStart(text string) int {
	const shortest = 16
	end := len(text)
	for {
		i := end
		for i > 0 && (text[i-1] == '\n' || text[i-1] == '\r' || text[i-1] == ' ') {
			i--
		}
		start := i
		for start > 0 && pemByte[text[start-1]] {
			start--
		}
		if i-start < shortest || start > 0 && text[start-1] != '\n' || !random(text[start:i], 8) {
			return end
		}
		end = start
	}
}

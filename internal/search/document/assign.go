package document

import "strings"

const (
	// maxName bounds the name that a value is assigned to.
	maxName = 64
	// maxGap bounds the blanks around the sign of an assignment.
	maxGap = 32
	// maxValue bounds a secret that is known by its name.
	maxValue = 1024
)

// assignment masks the value of an assignment to the name of a secret, in the
// spellings of code, JSON, YAML, environments and query strings.
func (m *masker) assignment() bool {
	text, i := m.text, m.at
	sign := text[i]
	if i == m.done || strings.IndexByte("!<>=:", text[i-1]) >= 0 && (sign != '=' || text[i-1] != ':') {
		return false
	}
	next := i + 1
	switch {
	case sign == ':' && next < len(text) && (text[next] == ':' || text[next] == '='):
		return false
	case sign == '=':
		for next < len(text) && (text[next] == '=' || text[next] == '>') && next-i < 3 {
			next++
		}
	}
	name := m.nameBefore(i)
	kind := kindOfName(name)
	if kind == "" {
		return false
	}
	if before := i - len(name) - 1; before >= 0 && next < len(text) && isQuote(text[next]) && text[before] == text[next] && text[before+1:i] == name {
		return false // "PWD=" + folder
	}
	v := valueAt(text, next, sign == '=' && isShouted(name))
	if v.isCode(text) || !hides(kind, text[v.start:v.end], v.quoted) {
		return false
	}
	m.hide(v.start, v.end, kind)
	return true
}

// nameBefore is the name that the sign at i assigns to. It may be quoted, in
// brackets, and have a type behind it.
func (m *masker) nameBefore(i int) string {
	if m.text[i-1] == ':' {
		i--
	}
	start, end := m.wordBefore(i)
	if m.text[i] == '=' && isTypeName(m.text[start:end]) && start > m.done {
		if m.text[start-1] == ':' {
			start--
		} else if i := start - 1; m.text[i] == ' ' {
			for i > m.done && m.text[i-1] == ' ' && start-i < maxGap {
				i--
			}
			if i > m.done && m.text[i-1] == ':' {
				start = i - 1
			}
		}
		start, end = m.wordBefore(start)
	}
	return m.text[start:end]
}

// wordBefore is the word that stands before i.
func (m *masker) wordBefore(i int) (start, end int) {
	text := m.text
	end = i
	for end > m.done && (text[end-1] == ' ' || text[end-1] == '\t') && i-end < maxGap {
		end--
	}
	if end-1 > m.done && text[end-1] == ']' && isQuote(text[end-2]) {
		end--
	}
	if end > m.done && isQuote(text[end-1]) {
		end--
		if end > m.done && text[end-1] == '\\' {
			end--
		}
	}
	start = end
	for start > m.done && dottedByte[text[start-1]] && end-start <= maxName {
		start--
	}
	return start, end
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isTypeName reports whether a word is the type of a text, as it stands between
// a variable and its value.
func isTypeName(word string) bool {
	switch word {
	case "str", "string", "String", "bytes", "SecretStr":
		return true
	}
	return false
}

// isShouted reports whether a name is one of an environment variable.
func isShouted(name string) bool {
	t := tallyOf(name)
	return t.upper > 0 && t.lower == 0
}

// A value is where one stands.
type value struct {
	start, end int
	quoted     bool
}

// valueAt is the value that begins behind i, with blanks between. It ends with
// its quotation or, without one, with the word; one in an environment may hold
// brackets.
func valueAt(text string, i int, environment bool) value {
	start := i
	for start < len(text) && (text[start] == ' ' || text[start] == '\t') && start-i < maxGap {
		start++
	}
	if start+1 < len(text) && strings.IndexByte("bfruBFRU@", text[start]) >= 0 && isQuote(text[start+1]) {
		start++
	}
	escaped := start+1 < len(text) && text[start] == '\\' && isQuote(text[start+1])
	if escaped {
		start++
	}
	if start < len(text) && isQuote(text[start]) {
		within := text[start+1 : min(len(text), start+1+maxValue)]
		if n := quotedLen(within, text[start], escaped); n >= 0 {
			return value{start + 1, start + 1 + n, true}
		}
		start++ // its end was cut off
	}
	stops := valueStops
	if environment {
		stops = environmentStops
	}
	end := start
	for end < len(text) && end-start <= maxValue && !stops[text[end]] {
		if text[end] == '=' && end+1 < len(text) && wordByte[text[end+1]] {
			break
		}
		end++
	}
	return value{start, end, false}
}

var (
	environmentStops = setOf(" \t\r\n\"'`\\&;")
	valueStops       = setOf(" \t\r\n\"'`\\&;,|<>()[]{}")
)

// quotedLen is how long a text in quotes is; -1: they are not closed.
func quotedLen(text string, quote byte, escaped bool) int {
	for i := 0; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && escaped && i+1 < len(text) && text[i+1] == quote:
			return i
		case text[i] == '\\':
			i++
		}
	}
	return -1
}

// isCode reports whether a value is an expression: a call, an index, a member, a
// variable that is named like a secret as well.
func (v value) isCode(text string) bool {
	if v.quoted {
		return false
	}
	word := text[v.start:v.end]
	if v.end < len(text) && strings.IndexByte("([{<", text[v.end]) >= 0 && v.end > v.start {
		return true
	}
	if strings.Contains(word, "::") || strings.HasSuffix(word, "-") || isIdentifier(word) && kindOfName(word) != "" {
		return true
	}
	dot := strings.IndexByte(word, '.')
	return dot > 0 && dot+1 < len(word) && !random(word, 6) && isIdentifier(word[:dot]) && isIdentifier(word[dot+1:dot+2])
}

func isIdentifier(word string) bool {
	for i := range len(word) {
		if !wordByte[word[i]] {
			return false
		}
	}
	return word != "" && (word[0] < '0' || word[0] > '9')
}

// option masks what follows `--password ` and, behind the colon, `-u name:`.
func (m *masker) option(i, j int) {
	text := m.text
	if i > 0 && !valueStops[text[i-1]] {
		return
	}
	end := tokenByte.runEnd(text, j)
	if end == j || end-j > maxName || end >= len(text) || text[end] != ' ' {
		return
	}
	name := text[j:end]
	if name == "u" || name == "user" {
		v := valueAt(text, end, false)
		_, behind, found := strings.Cut(text[v.start:v.end], ":")
		if t := tallyOf(behind); found && t.lower+t.upper > 0 && hides(password, behind, true) {
			m.hide(v.end-len(behind), v.end, password)
		}
		return
	}
	kind := kindOfName(name)
	if kind == "" {
		return
	}
	if v := valueAt(text, end, true); hides(kind, text[v.start:v.end], v.quoted) {
		m.hide(v.start, v.end, kind)
	}
}

// url masks the password in scheme://user:password@host.
func (m *masker) url() bool {
	text, i := m.text, m.at
	if !strings.HasPrefix(text[i:], "://") {
		return false
	}
	const longest = 512
	start := i + len("://")
	at, end := -1, start
	for end < len(text) && end-start < longest && !authorityStops[text[end]] {
		if text[end] == '@' {
			at = end
		}
		end++
	}
	if at < 0 {
		return false
	}
	user, pass, _ := strings.Cut(text[start:at], ":")
	if len(user) >= 16 && random(user, 6) && !isMarked(user) {
		m.hide(start, at, accessToken) // a token in place of a name
		return true
	}
	if pass == "" || isMarked(pass) || isPlaceholder(pass) || strings.Contains(user, "[") {
		return false
	}
	m.hide(at-len(pass), at, password)
	return true
}

var authorityStops = setOf(" \t\r\n\"'`\\/?#<>();")

package jsonl

import "bytes"

// A verdict is what a scanner found.
type verdict int

const (
	unfinished verdict = iota // the value goes on behind the data
	ended
	invalid
	tooDeep
)

// What a scanner expects next.
type expectation byte

const (
	aValue expectation = iota
	aValueOrEnd
	aKey
	aKeyOrEnd
	aColon
	aCommaOrEnd
)

// A scanner finds the end of a JSON object or array by its brackets, strings and
// separators. Numbers and words it takes as they come: what it lets pass may
// still be invalid, what it refuses is.
type scanner struct {
	at         int // bytes of the value that were scanned
	depth      int
	objects    [MaxDepth/64 + 1]uint64 // by depth: is it an object
	expect     expectation
	inString   bool
	inWord     bool
	firstBreak int // behind the first line break inside the value; 0: none yet
}

// run scans on in data, which begins where the value begins and holds more than
// the last time.
func (s *scanner) run(data []byte) verdict {
	for s.at < len(data) {
		if s.inString {
			if v := s.text(data); v != ended {
				return v
			}
			continue
		}
		c := data[s.at]
		if s.inWord && isWord(c) {
			s.at++
			continue
		}
		s.inWord = false
		s.at++
		switch c {
		case ' ', '\t', '\r':
		case '\n':
			if s.firstBreak == 0 {
				s.firstBreak = s.at
			}
		case '"':
			if !s.begin() {
				return invalid
			}
			s.inString = true
		case '{', '[':
			if s.expectsKey() || !s.begin() {
				return invalid
			}
			if s.depth == MaxDepth {
				s.depth++
				return tooDeep
			}
			s.open(c == '{')
		case '}', ']':
			if !s.close(c == '}') {
				return invalid
			}
			if s.depth == 0 {
				return ended
			}
		case ',', ':':
			if !s.separate(c) {
				return invalid
			}
		default:
			if !isWord(c) || s.expectsKey() || !s.begin() {
				return invalid
			}
			s.inWord = true
		}
	}
	return unfinished
}

// begin takes the beginning of a key or value, if one may stand here.
func (s *scanner) begin() bool {
	switch s.expect {
	case aKey, aKeyOrEnd:
		s.expect = aColon
	case aValue, aValueOrEnd:
		s.expect = aCommaOrEnd
	default:
		return false
	}
	return true
}

func (s *scanner) expectsKey() bool { return s.expect == aKey || s.expect == aKeyOrEnd }

func (s *scanner) open(object bool) {
	s.depth++
	bit := uint64(1) << (s.depth % 64)
	if object {
		s.objects[s.depth/64] |= bit
		s.expect = aKeyOrEnd
	} else {
		s.objects[s.depth/64] &^= bit
		s.expect = aValueOrEnd
	}
}

func (s *scanner) inObject() bool { return s.objects[s.depth/64]>>(s.depth%64)&1 == 1 }

func (s *scanner) close(object bool) bool {
	mayEnd := s.expect == aKeyOrEnd || s.expect == aValueOrEnd || s.expect == aCommaOrEnd
	if object != s.inObject() || !mayEnd {
		return false
	}
	s.depth--
	s.expect = aCommaOrEnd
	return true
}

func (s *scanner) separate(c byte) bool {
	switch {
	case c == ':' && s.expect == aColon:
		s.expect = aValue
	case c == ',' && s.expect == aCommaOrEnd && s.inObject():
		s.expect = aKey
	case c == ',' && s.expect == aCommaOrEnd:
		s.expect = aValue
	default:
		return false
	}
	return true
}

// isWord tells the bytes of numbers, true, false and null.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// text scans to behind the end of a string.
func (s *scanner) text(data []byte) verdict {
	rest := data[s.at:]
	i := bytes.IndexByte(rest, '"')
	inside := rest
	if i >= 0 {
		inside = rest[:i]
	}
	if n := bytes.IndexByte(inside, '\n'); n >= 0 {
		s.at += n
		return invalid
	}
	if i < 0 {
		s.at = len(data)
		return unfinished
	}
	s.inString = oddBackslashes(data[:s.at+i])
	s.at += i + 1
	return ended
}

// oddBackslashes reports whether data ends in an odd number of backslashes.
func oddBackslashes(data []byte) bool {
	n := 0
	for n < len(data) && data[len(data)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// escapedAtEnd reports whether the next byte is escaped.
func (s *scanner) escapedAtEnd(data []byte) bool {
	return s.inString && oddBackslashes(data[:s.at])
}

// A skipper finds the end of a value whose beginning is no longer in memory.
type skipper struct {
	depth    int
	inString bool
	escaped  bool
	newLine  bool
}

// run returns how many bytes belong to the value, and whether it ends there.
func (k *skipper) run(data []byte) (int, bool) {
	for i, c := range data {
		if k.newLine && c == '{' {
			return i, true
		}
		k.newLine = c == '\n'
		switch {
		case k.newLine && k.inString:
			return i + 1, true
		case k.escaped:
			k.escaped = false
		case k.inString:
			k.escaped = c == '\\'
			k.inString = c != '"'
		case c == '"':
			k.inString = true
		case c == '{' || c == '[':
			k.depth++
		case c == '}' || c == ']':
			k.depth--
			if k.depth <= 0 {
				return i + 1, true
			}
		}
	}
	return len(data), false
}

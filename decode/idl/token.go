package idl

import (
	"fmt"

	"tapedeck/decode"
)

type tokenKind uint8

const (
	endToken    tokenKind = iota
	identToken            // a name or a keyword
	numberToken           // as written
	stringToken           // without quotes, escapes resolved
	charToken             // likewise
	symbolToken           // "::" or one character
)

// token is a word of the text, with the comments around it.
type token struct {
	kind    tokenKind
	escaped bool // a name written with "_" in front, which makes it no keyword (IDL 4.2, 7.2.3.2)
	text    string
	line    int
	start   int    // offset in the text
	end     int    // offset behind the token
	after   string // the comment behind the token before, on its line
	before  string // the comment directly before
}

// is reports whether t is the keyword or symbol text.
func (t token) is(text string) bool {
	return t.text == text && !t.escaped && (t.kind == identToken || t.kind == symbolToken)
}

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end of the text"
	case stringToken:
		return fmt.Sprintf("the string %q", decode.Shorten(t.text, 40))
	case charToken:
		return fmt.Sprintf("the character %q", t.text)
	}
	return fmt.Sprintf("%q", decode.Shorten(t.text, 40))
}

// sameTokens reports whether two texts differ in nothing but space and comments.
func sameTokens(a, b string) bool {
	if a == b {
		return true
	}
	la, lb := newLexer(a), newLexer(b)
	for {
		ta, errA := la.next()
		tb, errB := lb.next()
		if errA != nil || errB != nil || ta.kind != tb.kind || ta.text != tb.text {
			return false
		}
		if ta.kind == endToken {
			return true
		}
	}
}

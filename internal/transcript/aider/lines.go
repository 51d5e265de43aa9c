package aider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"

	"tapedeck/internal/session"
)

// maxLine bounds what is held of one line: longer ones come in pieces.
const maxLine = 1 << 20

// A lineReader reads lines with their ends, and knows where it is.
type lineReader struct {
	in     *bufio.Reader
	offset int64 // behind the line that was read last
	middle bool  // the next piece continues a line
}

// A line is a line, or a piece of a long one.
type line struct {
	text      []byte // valid until the next one
	start     int64
	continues bool // a line whose beginning came before
	cut       bool // the file ends before the line does
}

func newLineReader(r io.Reader, offset int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, maxLine), offset: offset}
}

// next reads a line; io.EOF at the end.
func (r *lineReader) next() (line, error) {
	text, err := r.in.ReadSlice('\n')
	if len(text) == 0 && err != nil {
		return line{}, err
	}
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
		return line{}, err
	}
	l := line{text: text, start: r.offset, continues: r.middle, cut: errors.Is(err, io.EOF)}
	r.offset += int64(len(text))
	r.middle = errors.Is(err, bufio.ErrBufferFull)
	return l, nil
}

const headerStart = "# aider chat started at "

// headerTime is the time in a session's first line.
func headerTime(text []byte) (session.Time, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimRight(text, " \t\r\n"), []byte(headerStart))
	if !ok {
		return 0, false
	}
	at, err := time.Parse(time.DateTime, string(rest))
	if err != nil || at.Year() < 1970 {
		return 0, false
	}
	return session.TimeOf(at), true
}

// A kind of block.
type kind string

const (
	kindHeader  kind = "header"
	kindPrompt  kind = "prompt"
	kindConsole kind = "console"
	kindAnswer  kind = "answer"
)

const (
	promptMark  = "#### "
	consoleMark = "> "
	lineBreak   = "  " // with which aider ends what it writes itself
)

// A classifier tells what kind of block a session's next line belongs to. What
// it says of a line depends on the lines before it alone.
type classifier struct {
	last   kind
	known  bool // whether the session has aider's marks
	marked bool
	fence  bool // inside of code, in a session without marks
}

// classify is the kind of a line that is not blank.
func (c *classifier) classify(text []byte) kind {
	k := kindAnswer
	switch {
	case bytes.HasPrefix(text, []byte(promptMark)), isEmptyPrompt(text) && c.last == kindPrompt:
		k = kindPrompt
	case bytes.HasPrefix(text, []byte(consoleMark)):
		k = kindConsole
	}
	isMarked := bytes.HasSuffix(bytes.TrimRight(text, "\r\n"), []byte(lineBreak))
	if k != kindAnswer && !c.known {
		c.known, c.marked = true, isMarked
	}
	switch {
	case c.marked && !isMarked,
		c.fence,
		k == kindPrompt && !c.marked && c.last == kindAnswer: // a heading
		k = kindAnswer
	}
	if k == kindAnswer && c.known && !c.marked && bytes.HasPrefix(text, []byte("```")) {
		c.fence = !c.fence
	}
	c.last = k
	return k
}

// isEmptyPrompt reports whether a line is an empty one in a prompt, from whose
// end an editor took the spaces.
func isEmptyPrompt(text []byte) bool {
	return string(bytes.TrimRight(text, "\r\n")) == "####"
}

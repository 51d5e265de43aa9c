package document

import (
	"strings"
	"unicode/utf8"
)

// A Chunk is a part of a document.
type Chunk struct {
	Start int // byte in the document's text
	Text  string
}

// overlapShare: chunks share about one byte in this many.
const overlapShare = 8

// Chunks cuts a text into chunks of at most window bytes, or of one character
// where that is longer. They are about equally long, so that none is a mere rest;
// together they hold all of the text but blanks at their ends. A window of 0 or
// less does not cut.
func Chunks(text string, window int) []Chunk {
	if window <= 0 {
		window = len(text)
	}
	window = max(window, utf8.UTFMax)
	var chunks []Chunk
	for start := skipBlanks(text, 0); start < len(text); {
		end := chunkEnd(text, start, window)
		chunks = append(chunks, Chunk{start, strings.TrimRight(text[start:end], blanks)})
		if skipBlanks(text, end) == len(text) {
			break
		}
		start = nextStart(text, start, end, window)
	}
	return chunks
}

const blanks = " \t\n"

func skipBlanks(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
		i++
	}
	return i
}

// chunkEnd is where the chunk that begins at start ends: at the best border near
// where the chunks that are still to come would be equally long.
func chunkEnd(text string, start, window int) int {
	rest := len(text) - start
	if rest <= window {
		return len(text)
	}
	overlap := window / overlapShare
	n := (rest - overlap + window - overlap - 1) / (window - overlap)
	target := min(window, (rest+(n-1)*overlap+n-1)/n)
	first, last := start+max(1, target*3/4), start+min(window, target*9/8)
	best, end := noBorder, start
	for i := last; i >= first; i-- {
		if b := borderAt(text, i); b > best {
			if best, end = b, i; b == paragraphBorder {
				break
			}
		}
	}
	if best > noBorder {
		return end
	}
	return runeEnd(text, start, last)
}

// runeEnd is the last border of a rune up to last, or the end of the first rune.
func runeEnd(text string, start, last int) int {
	for last > start && !utf8.RuneStart(text[last]) {
		last--
	}
	if last > start {
		return last
	}
	_, size := utf8.DecodeRuneInString(text[start:])
	return start + size
}

// nextStart is where the chunk behind the one from start to end begins: at the
// best border within what the two may share.
func nextStart(text string, start, end, window int) int {
	share := window * 3 / (2 * overlapShare) // of which a border takes away up to a half
	first := max(start+1, end-share)
	last := max(first, end-share/2)
	best, next := noBorder, end
	for i := first; i <= last && i < end; i++ {
		if b := borderAt(text, i); b > best && (b >= wordBorder || isWide(text, i)) {
			best, next = b, i
		}
	}
	return skipBlanks(text, next)
}

// isWide reports whether a character that is not ASCII stands before text[i]:
// scripts without blanks overlap between any two of them.
func isWide(text string, i int) bool { return text[i-1] >= utf8.RuneSelf }

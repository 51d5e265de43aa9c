package archive

import (
	"regexp"
	"strings"
)

// What sessions hold is put into a Markdown document that others open: it may be
// formatted, but must not reach beyond its place, and its HTML is shown as text.
// The terms are those of CommonMark 0.31.

var (
	// opensFence is a line that opens a code block: by backticks, which what
	// follows them must not hold, or by tildes.
	opensFence = regexp.MustCompile("^ {0,3}(`{3,}[^`]*|~{3,}.*)$")
	backticks  = regexp.MustCompile("`+")
	// beginsHTML is where HTML may begin; addresses in <> are none.
	beginsHTML = regexp.MustCompile(`<(?:[/!?]|[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$))`)
	steersLine = regexp.MustCompile("[\\\\`*\\[\\]<|]")
)

// inline is text for a heading, a table or between other words, in one line that
// shows just what stands there.
func inline(text string) string { return steersLine.ReplaceAllString(oneLine(text), `\$0`) }

// contained is Markdown that ends where it ends: a code block that is open, as
// in answers that were cut, is closed.
func contained(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case fence != "" && closesFence(bare, fence):
			fence = ""
		case fence != "":
		case opensFence.MatchString(bare):
			fence = fenceOf(bare)
		default:
			line = withoutHTML(line)
		}
		b.WriteString(line)
	}
	if fence != "" {
		b.WriteString("\n" + fence)
	}
	return b.String()
}

// fenceOf is the fence that a line begins with.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

// closesFence reports whether a line ends the code block that a fence opened.
func closesFence(line, fence string) bool {
	rest := strings.TrimLeft(line, " ")
	return len(line)-len(rest) <= 3 && strings.HasPrefix(rest, fence) && strings.Trim(strings.TrimRight(rest, " \t"), fence[:1]) == ""
}

// withoutHTML is a line whose HTML is text. What stands between backticks is
// text anyway.
func withoutHTML(line string) string {
	if !strings.Contains(line, "<") {
		return line
	}
	var b strings.Builder
	at := 0
	for _, span := range codeSpans(line) {
		b.WriteString(beginsHTML.ReplaceAllString(line[at:span[0]], `\$0`))
		b.WriteString(line[span[0]:span[1]])
		at = span[1]
	}
	b.WriteString(beginsHTML.ReplaceAllString(line[at:], `\$0`))
	return b.String()
}

// codeSpans are where code stands in a line: from backticks to as many again.
func codeSpans(line string) [][2]int {
	runs := backticks.FindAllStringIndex(line, -1)
	next, closing := map[int]int{}, make([]int, len(runs)) // by length; for each run
	for i := len(runs) - 1; i >= 0; i-- {
		length := runs[i][1] - runs[i][0]
		closing[i] = next[length] // 0: none
		next[length] = i
	}
	var spans [][2]int
	for i := 0; i < len(runs); i++ {
		if end := closing[i]; end > 0 {
			spans = append(spans, [2]int{runs[i][0], runs[end][1]})
			i = end
		}
	}
	return spans
}

// fenceFor is a fence that is longer than any in the text.
func fenceFor(text string) string {
	longest := 2
	for _, run := range backticks.FindAllStringIndex(text, -1) {
		longest = max(longest, run[1]-run[0])
	}
	return strings.Repeat("`", longest+1)
}

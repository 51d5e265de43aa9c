package cli

import "strings"

// leastCells is what a text is never cut below, however narrow the terminal.
const leastCells = 20

// wrap breaks a text of any number of lines into lines of at most width cells,
// at spaces where there are any; 0: lines stay as long as they are. What could
// steer a terminal is made visible.
func wrap(text string, width int) []string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n ")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = visible(strings.ReplaceAll(line, "\t", "    "))
		if width <= 0 {
			lines = append(lines, line)
			continue
		}
		lines = append(lines, wrapLine(line, max(width, leastCells))...)
	}
	return lines
}

// wrapLine breaks one line. What goes on is indented as the line is.
func wrapLine(line string, width int) []string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(indent) > width/2 {
		indent = ""
	}
	var lines []string
	for cellsOf(line) > width {
		head := headCells(line, width)
		if at := strings.LastIndexByte(head, ' '); at > len(indent) {
			head = head[:at]
		}
		lines = append(lines, strings.TrimRight(head, " "))
		line = indent + strings.TrimLeft(line[len(head):], " ")
	}
	return append(lines, line)
}

// headCells is as much of a text as takes at most width cells, and at least one
// character.
func headCells(text string, width int) string {
	cells := 0
	for i, r := range text {
		cells += cellsOf(string(r))
		if cells > width && i > 0 {
			return text[:i]
		}
	}
	return text
}

// clipCells is a text cut to width cells, with … where something was cut off.
func clipCells(text string, width int) string {
	if cellsOf(text) <= width {
		return text
	}
	return headCells(text, max(width-1, 1)) + "…"
}

// narrow cuts the cells of the last column so that the table fits into width
// cells; 0: any width.
func (t *grid) narrow(width int) {
	last := len(t.columns) - 1
	if over := t.width() - width; width > 0 && over > 0 {
		room := max(t.widths(t.headings())[last]-over, leastCells)
		for _, row := range t.rows {
			row[last] = clipCells(row[last], room)
		}
	}
}

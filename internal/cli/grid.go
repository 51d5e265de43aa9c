package cli

import (
	"io"
	"strings"
	"unicode/utf8"
)

// grid prints rows in columns. text/tabwriter can't align numbers to the right
// beside text to the left.
type grid struct {
	title   string // stands above the headings; empty: none
	columns []column
	rows    [][]string
}

// column is a heading; its cells stand at the right when they are numbers.
type column struct {
	name  string
	right bool
}

func (t *grid) add(cells ...string) {
	for i, cell := range cells {
		cells[i] = visible(cell)
	}
	t.rows = append(t.rows, cells)
}

// print writes the table with its headings, two spaces between columns.
func (t *grid) print(w io.Writer) error {
	style := stylesFor(w)
	headings := t.headings()
	widths := t.widths(headings)
	var b strings.Builder
	if t.title != "" {
		b.WriteString(style.bold + visible(t.title) + style.reset + "\n")
	}
	b.WriteString(style.bold + t.line(headings, widths) + style.reset + "\n")
	for _, row := range t.rows {
		b.WriteString(t.line(row, widths) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printRecords writes each row as lines of heading and value, for tables that
// are wider than the terminal.
func (t *grid) printRecords(w io.Writer) error {
	style := stylesFor(w)
	headings := t.headings()
	width := 0
	for _, heading := range headings {
		width = max(width, cellsOf(heading))
	}
	var b strings.Builder
	for n, row := range t.rows {
		b.WriteString(style.faint + "row " + group(n+1) + style.reset + "\n")
		for i, cell := range row {
			padding := strings.Repeat(" ", width-cellsOf(headings[i]))
			b.WriteString(style.bold + headings[i] + style.reset + padding + "  " + cell + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// width is how many cells of a terminal the table takes.
func (t *grid) width() int {
	total := 0
	for _, width := range t.widths(t.headings()) {
		total += width + 2
	}
	return total - 2
}

func (t *grid) headings() []string {
	headings := make([]string, len(t.columns))
	for i, c := range t.columns {
		headings[i] = visible(c.name)
	}
	return headings
}

func (t *grid) widths(headings []string) []int {
	widths := make([]int, len(t.columns))
	for i, heading := range headings {
		widths[i] = cellsOf(heading)
		for _, row := range t.rows {
			widths[i] = max(widths[i], cellsOf(row[i]))
		}
	}
	return widths
}

func (t *grid) line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		padding := strings.Repeat(" ", widths[i]-cellsOf(cell))
		if t.columns[i].right {
			b.WriteString(padding + cell)
		} else {
			b.WriteString(cell + padding)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// widestCell is the most of a text from a recording that a table for people
// shows; JSON and the other formats show it whole.
const widestCell = 80

func shorten(text string) string {
	if utf8.RuneCountInString(text) <= widestCell {
		return text
	}
	return string([]rune(text)[:widestCell-1]) + "…"
}

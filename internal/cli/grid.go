package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grid prints rows in columns. text/tabwriter can't align numbers to the right
// beside text to the left.
type grid struct {
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
	headings := make([]string, len(t.columns))
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		headings[i] = visible(c.name)
		widths[i] = utf8.RuneCountInString(headings[i])
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var b strings.Builder
	b.WriteString(style.bold + t.line(headings, widths) + style.reset + "\n")
	for _, row := range t.rows {
		b.WriteString(t.line(row, widths) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *grid) line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.columns[i].right {
			b.WriteString(padding + cell)
		} else {
			b.WriteString(cell + padding)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// count is n with its noun.
func count[N int | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// number writes a number that has one or two decimals, and none when it is whole.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

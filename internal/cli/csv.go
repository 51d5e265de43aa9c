package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// csvWriter writes RFC 4180 with a line of names in front. NULL is an empty
// field and an empty text is "", as PostgreSQL and DuckDB write them; lists,
// structs and maps are JSON. encoding/csv can't quote an empty text.
type csvWriter struct {
	w       *bufio.Writer
	columns int
}

// Columns writes the names.
func (c *csvWriter) Columns(names, _ []string) error {
	c.columns = len(names)
	for i, name := range names {
		c.separate(i)
		c.text(name)
	}
	return c.endLine()
}

// Row writes one line.
func (c *csvWriter) Row(row json.RawMessage) error {
	cells, err := splitRow(row, c.columns)
	if err != nil {
		return err
	}
	for i, cell := range cells {
		c.separate(i)
		if string(cell) == "null" {
			continue
		}
		text, err := cellText(cell, "")
		if err != nil {
			return err
		}
		c.text(text)
	}
	return c.endLine()
}

func (c *csvWriter) separate(i int) {
	if i > 0 {
		c.w.WriteByte(',')
	}
}

// text writes a field, in quotes where it would be read as something else
// without: what it lost or failed to write shows at the end of the line.
func (c *csvWriter) text(field string) {
	if field != "" && !strings.ContainsAny(field, ",\"\r\n") && field == strings.TrimSpace(field) {
		c.w.WriteString(field)
		return
	}
	c.w.WriteByte('"')
	c.w.WriteString(strings.ReplaceAll(field, `"`, `""`))
	c.w.WriteByte('"')
}

func (c *csvWriter) endLine() error { return c.w.WriteByte('\n') }

func (c *csvWriter) end() error { return c.w.Flush() }

func newCSVWriter(w io.Writer) *csvWriter { return &csvWriter{w: bufio.NewWriter(w)} }

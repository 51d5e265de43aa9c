package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/query"
)

// answerWriter writes an answer that comes row by row.
type answerWriter interface {
	query.Sink
	end() error
}

func newAnswerWriter(format string, w io.Writer) answerWriter {
	switch format {
	case formatNDJSON:
		return &ndjsonWriter{w: bufio.NewWriter(w)}
	case formatCSV:
		return newCSVWriter(w)
	}
	return &gridWriter{w: w}
}

// ndjsonWriter writes an object a line.
type ndjsonWriter struct {
	w    *bufio.Writer
	keys [][]byte // as JSON, with the colon
}

// Columns takes the keys. A name that is there twice would lose a value: the
// second gets "_2".
func (n *ndjsonWriter) Columns(names, _ []string) error {
	taken := map[string]bool{}
	for _, name := range names {
		unique := name
		for i := 2; taken[unique]; i++ {
			unique = fmt.Sprintf("%s_%d", name, i)
		}
		taken[unique] = true
		key, err := json.Marshal(unique)
		if err != nil {
			return err
		}
		n.keys = append(n.keys, append(key, ':'))
	}
	return nil
}

// Row writes one object.
func (n *ndjsonWriter) Row(row json.RawMessage) error {
	cells, err := splitRow(row, len(n.keys))
	if err != nil {
		return err
	}
	n.w.WriteByte('{')
	for i, cell := range cells {
		if i > 0 {
			n.w.WriteByte(',')
		}
		n.w.Write(n.keys[i])
		n.w.Write(cell)
	}
	_, err = n.w.WriteString("}\n")
	return err
}

func (n *ndjsonWriter) end() error { return n.w.Flush() }

// gridWriter collects rows and prints them as a table for people.
type gridWriter struct {
	w    io.Writer
	grid grid
}

// Columns takes the headings.
func (g *gridWriter) Columns(names, types []string) error {
	for i, name := range names {
		g.grid.columns = append(g.grid.columns, column{name: shorten(name), right: isNumber(types[i])})
	}
	return nil
}

// Row keeps one row.
func (g *gridWriter) Row(row json.RawMessage) error {
	cells, err := splitRow(row, len(g.grid.columns))
	if err != nil {
		return err
	}
	texts := make([]string, len(cells))
	for i, cell := range cells {
		text, err := cellText(cell, "NULL")
		if err != nil {
			return err
		}
		texts[i] = shorten(text)
	}
	g.grid.add(texts...)
	return nil
}

// end prints the table, row under row where the terminal is too narrow for it.
func (g *gridWriter) end() error {
	if width := terminalWidth(g.w); width > 0 && g.grid.width() > width {
		return g.grid.printRecords(g.w)
	}
	return g.grid.print(g.w)
}

func isNumber(sqlType string) bool {
	switch sqlType {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE":
		return true
	}
	return strings.HasPrefix(sqlType, "DECIMAL")
}

// splitRow takes a row's cells apart without reading them.
func splitRow(row json.RawMessage, columns int) ([]json.RawMessage, error) {
	cells := make([]json.RawMessage, 0, columns)
	if err := json.Unmarshal(row, &cells); err != nil {
		return nil, fmt.Errorf("reading a row of the answer: %w", err)
	}
	if len(cells) != columns {
		return nil, fmt.Errorf("reading a row of the answer: want %d cells, found %d", columns, len(cells))
	}
	return cells, nil
}

// cellText is a cell as text: strings without quotes, null as given, and all
// else as its JSON.
func cellText(cell json.RawMessage, null string) (string, error) {
	switch {
	case string(cell) == "null":
		return null, nil
	case cell[0] != '"':
		return string(cell), nil
	}
	var text string
	if err := json.Unmarshal(cell, &text); err != nil {
		return "", fmt.Errorf("reading a text of the answer: %w", err)
	}
	return text, nil
}

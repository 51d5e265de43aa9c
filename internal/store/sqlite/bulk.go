package sqlite

import (
	"fmt"
	"strings"
)

// bulkRows is how many rows an insert takes at a time, lookupTexts how many values
// a lookup.
const (
	bulkRows    = 64
	lookupTexts = 64
)

// bulk inserts rows, several with one statement.
type bulk struct {
	conn    *conn
	columns int
	one     string // statement for one row
	many    string // for bulkRows
	args    []any
}

func newBulk(c *conn, table string, columns ...string) *bulk {
	one := insert(table, columns)
	return &bulk{conn: c, columns: len(columns), one: one, many: one + strings.Repeat(","+places(len(columns)), bulkRows-1)}
}

// insert is a statement for one row.
func insert(table string, columns []string) string {
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", table, strings.Join(columns, ","), places(len(columns)))
}

// upsert is a statement for one row that replaces the one with the same key.
func upsert(table, key string, columns []string) string {
	var sets []string
	for _, column := range columns {
		sets = append(sets, column+" = excluded."+column)
	}
	return fmt.Sprintf("%s ON CONFLICT (%s) DO UPDATE SET %s", insert(table, columns), key, strings.Join(sets, ", "))
}

func places(n int) string { return "(?" + strings.Repeat(",?", n-1) + ")" }

func (b *bulk) add(values ...any) error {
	b.args = append(b.args, values...)
	if len(b.args) < b.columns*bulkRows {
		return nil
	}
	_, err := b.conn.exec(b.many, b.args...)
	b.args = b.args[:0]
	return err
}

// flush inserts what is left.
func (b *bulk) flush() error {
	for rest := b.args; len(rest) > 0; rest = rest[b.columns:] {
		if _, err := b.conn.exec(b.one, rest[:b.columns]...); err != nil {
			return err
		}
	}
	b.args = b.args[:0]
	return nil
}

// lookup runs a query that ends in IN for all values, some at a time. fixed are
// the arguments before them.
func (c *conn) lookup(query string, fixed []any, values []any, take func(*row) error) error {
	query += " IN (?" + strings.Repeat(",?", lookupTexts-1) + ")"
	for len(values) > 0 {
		n := min(len(values), lookupTexts)
		args := append(append(make([]any, 0, len(fixed)+lookupTexts), fixed...), values[:n]...)
		for len(args) < len(fixed)+lookupTexts {
			args = append(args, values[n-1]) // one statement for any number
		}
		if err := c.each(query, args, take); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

package opencode

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/jsonl"
)

// A row is one row of a table, as a record has it: a JSON object with all its
// columns, in which column data stands as the JSON that it is.
type row struct {
	names []string
	cells []any
	into  []any // pointers to cells
}

// columnData holds a message or part, without what other columns say of it.
const columnData = "data"

func newRow(names []string) *row {
	r := &row{names: names, cells: make([]any, len(names))}
	for n := range names {
		r.into = append(r.into, &r.cells[n])
	}
	return r
}

// body is the row as a JSON object; an error means that it can't be one.
func (r *row) body() ([]byte, error) {
	body := []byte{'{'}
	for n, name := range r.names {
		if n > 0 {
			body = append(body, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := cell(name, r.cells[n])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		body = append(append(append(body, key...), ':'), value...)
	}
	return append(body, '}'), nil
}

// cell is a column's value as JSON; bytes are base64.
func cell(name string, value any) ([]byte, error) {
	var size int
	switch value := value.(type) {
	case string:
		size = len(value)
		if name == columnData && json.Valid([]byte(value)) {
			return []byte(value), tooLarge(size)
		}
	case []byte:
		size = len(value)
		if name == columnData && json.Valid(value) {
			return value, tooLarge(size)
		}
	}
	if err := tooLarge(size); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func tooLarge(size int) error {
	if size > jsonl.MaxValue {
		return fmt.Errorf("expected at most %d bytes, found %d", jsonl.MaxValue, size)
	}
	return nil
}

// give gives a row as a record.
func (r tableReader) give(row *row) error {
	body, err := row.body()
	if err != nil {
		r.to.Lost(0, "a row of table "+r.table+": "+err.Error())
		return nil
	}
	doc := gjson.ParseBytes(body)
	id, owner := doc.Get("id").String(), doc.Get("session_id").String()
	if r.table == tableSession {
		owner = id
	}
	if id == "" || owner == "" {
		r.to.Lost(0, "a row of table "+r.table+": expected an id and a session, found none")
		return nil
	}
	ref := session.Ref{Harness: r.importer.harness, Key: owner}
	at := doc.Get("time_created").Int()
	record := session.Record{Version: doc.Get("time_updated").Int(), Order: at, At: session.Time(at), Body: body}
	switch r.table {
	case tableSession:
		record.Key, record.Order = keySession, 0
		if err := r.importer.tell(ref, doc.Get("parent_id").Str, r.to); err != nil {
			return err
		}
	case tableMessage:
		record.Key = id
	case tablePart:
		record.Key = doc.Get("message_id").String() + "/" + id
		count(doc.Get("data.type").Str, r.to)
	}
	return r.to.Record(ref, record)
}

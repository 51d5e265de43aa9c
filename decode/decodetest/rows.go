// Package decodetest helps to test decoders: [Rows] reads batches back as Go
// values, [Check] and its kin hold plans to the promises of package decode, and
// [Messages] reads recordings without tapedeck's own reader.
package decodetest

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"tapedeck/decode"
)

// Row is a row by column names.
type Row = map[string]any

// JSON is a value of a JSON column.
type JSON string

// Entry is the key and the value of an entry of a map; these keep their order.
type Entry [2]any

// Decode returns the rows that messages become, and the error of the first
// that can't be decoded.
func Decode(p decode.Plan, messages ...[]byte) ([]Row, error) {
	b := decode.NewBatch(p.Columns(), nil)
	var first error
	for _, m := range messages {
		if err := p.Decode(m, b); err != nil {
			b.DropRow()
			if first == nil {
				first = err
			}
		}
	}
	return Rows(p, b), first
}

// MustDecode returns the rows that messages become; each must be decodable.
func MustDecode(t testing.TB, p decode.Plan, messages ...[]byte) []Row {
	t.Helper()
	b := decode.NewBatch(p.Columns(), nil)
	for _, m := range messages {
		if err := p.Decode(m, b); err != nil {
			t.Fatal(err)
		}
	}
	CheckBatch(t, b)
	return Rows(p, b)
}

// Columns returns p's columns as "name TYPE", without quotes.
func Columns(p decode.Plan) []string {
	columns := []string{}
	for _, c := range p.Columns() {
		columns = append(columns, c.Name+" "+strings.ReplaceAll(c.Type.SQL(), `"`, ""))
	}
	return columns
}

// Rows returns the rows of a batch of p's columns. Timestamps and durations
// are int64 nanoseconds, lists []any, maps []Entry, structs Row, blobs []byte,
// JSON text JSON, nulls nil.
func Rows(p decode.Plan, b *decode.Batch) []Row {
	rows := make([]Row, b.Rows())
	for i := range rows {
		rows[i] = Row{}
		for c, col := range p.Columns() {
			rows[i][col.Name] = Value(b.Column(c), i)
		}
	}
	return rows
}

// Value returns value i of a vector, as Rows does.
func Value(v *decode.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	t := v.Type()
	switch {
	case t.Kind == decode.List:
		start, end := span(v.Ends(), i)
		list := make([]any, 0, end-start)
		for ; start < end; start++ {
			list = append(list, Value(v.Elem(), start))
		}
		return list
	case t.Kind == decode.Map:
		start, end := span(v.Ends(), i)
		entries := make([]Entry, 0, end-start)
		for ; start < end; start++ {
			entries = append(entries, Entry{Value(v.Elem().Field(0), start), Value(v.Elem().Field(1), start)})
		}
		return entries
	case t.Kind == decode.Struct:
		row := Row{}
		for f, field := range t.Fields {
			row[field.Name] = Value(v.Field(f), i)
		}
		return row
	case t.Kind == decode.Bytes:
		start, end := span(v.Ends(), i)
		return append([]byte{}, v.Bytes()[start:end]...)
	case t.Kind == decode.JSON:
		start, end := span(v.Ends(), i)
		return JSON(v.Bytes()[start:end])
	case t.Kind.IsText():
		start, end := span(v.Ends(), i)
		return string(v.Bytes()[start:end])
	}
	w := t.Kind.Width()
	return scalar(t.Kind, v.Fixed()[i*w:(i+1)*w])
}

func scalar(k decode.Kind, b []byte) any {
	le := binary.LittleEndian
	switch k {
	case decode.Bool:
		return b[0] != 0
	case decode.Int8:
		return int8(b[0])
	case decode.Uint8:
		return b[0]
	case decode.Int16:
		return int16(le.Uint16(b))
	case decode.Uint16:
		return le.Uint16(b)
	case decode.Int32:
		return int32(le.Uint32(b))
	case decode.Uint32:
		return le.Uint32(b)
	case decode.Uint64:
		return le.Uint64(b)
	case decode.Float32:
		return math.Float32frombits(le.Uint32(b))
	case decode.Float64:
		return math.Float64frombits(le.Uint64(b))
	}
	return int64(le.Uint64(b))
}

func span(ends []int, i int) (start, end int) {
	if i > 0 {
		start = ends[i-1]
	}
	return start, ends[i]
}

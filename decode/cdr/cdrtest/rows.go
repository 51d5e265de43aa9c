package cdrtest

import (
	"encoding/binary"
	"fmt"
	"math"

	"tapedeck/decode"
)

// Row is a row by column names.
type Row map[string]any

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

// Rows returns the rows of a batch of p's columns. Timestamps and durations
// are int64 nanoseconds, lists []any, structs Row, blobs []byte, nulls nil.
func Rows(p decode.Plan, b *decode.Batch) []Row {
	rows := make([]Row, b.Rows())
	for i := range rows {
		rows[i] = Row{}
		for c, col := range p.Columns() {
			rows[i][col.Name] = value(b.Column(c), i)
		}
	}
	return rows
}

func value(v *decode.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	t := v.Type()
	switch {
	case t.Kind == decode.List:
		start, end := span(v.Ends(), i)
		list := make([]any, 0, end-start)
		for ; start < end; start++ {
			list = append(list, value(v.Elem(), start))
		}
		return list
	case t.Kind == decode.Struct:
		row := Row{}
		for f, field := range t.Fields {
			row[field.Name] = value(v.Field(f), i)
		}
		return row
	case t.Kind == decode.Bytes:
		start, end := span(v.Ends(), i)
		return v.Bytes()[start:end]
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

// Check decodes msg between rows of other messages and returns what is
// wrong with the batch then: a column that has not one value a row, or, after
// an error, one that has changed.
func Check(p decode.Plan, b *decode.Batch, msg []byte) error {
	rows, size := b.Rows(), b.Size()
	err := p.Decode(msg, b)
	if err != nil {
		b.DropRow()
		if b.Rows() != rows || b.Size() != size {
			return fmt.Errorf("the error %q left %d rows in %d bytes of what were %d in %d", err, b.Rows(), b.Size(), rows, size)
		}
	} else if b.Rows() != rows+1 {
		return fmt.Errorf("there are %d rows after %d", b.Rows(), rows)
	}
	for i := range b.Columns() {
		if err := consistent(b.Column(i), b.Rows()); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func consistent(v *decode.Vector, rows int) error {
	if v.Len() != rows {
		return fmt.Errorf("a vector of %s has %d values and not %d", v.Type().SQL(), v.Len(), rows)
	}
	switch v.Type().Kind {
	case decode.List:
		n := 0
		if rows > 0 {
			n = v.Ends()[rows-1]
		}
		return consistent(v.Elem(), n)
	case decode.Struct:
		for i := range v.Type().Fields {
			if err := consistent(v.Field(i), rows); err != nil {
				return err
			}
		}
	}
	return nil
}

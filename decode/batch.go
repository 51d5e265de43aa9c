package decode

// Column is one column of a table, as a schema gives it.
type Column struct {
	Name        string
	Type        Type
	Description string
}

// Batch is a run of rows in columns.
type Batch struct {
	vectors []*Vector
	rows    int
}

// NewBatch returns an empty batch of columns. For each i with sizes[i] set,
// column i, which must be of kind Bytes, holds the lengths of its values (Uint32)
// instead of the values; sizes may be nil.
func NewBatch(columns []Column, sizes []bool) *Batch {
	b := &Batch{vectors: make([]*Vector, len(columns))}
	for i, c := range columns {
		v := newVector(c.Type)
		if sizes != nil && sizes[i] {
			v.sizes, v.width = true, Uint32.Width()
		}
		b.vectors[i] = v
	}
	return b
}

// Column returns the vector of column i.
func (b *Batch) Column(i int) *Vector { return b.vectors[i] }

// Columns returns how many columns the batch has.
func (b *Batch) Columns() int { return len(b.vectors) }

// Rows returns how many whole rows the batch has.
func (b *Batch) Rows() int { return b.rows }

// CloseRow ends a row after one value was appended to each column.
func (b *Batch) CloseRow() { b.rows++ }

// DropRow drops all that was appended since the last row was closed.
func (b *Batch) DropRow() {
	for _, v := range b.vectors {
		v.Truncate(b.rows)
		v.settle()
	}
}

// Reset drops all rows and keeps the memory.
func (b *Batch) Reset() {
	b.rows = 0
	for _, v := range b.vectors {
		v.reset()
	}
}

// Size returns the bytes of memory that the values take.
func (b *Batch) Size() int {
	n := 0
	for _, v := range b.vectors {
		n += v.size()
	}
	return n
}

func (v *Vector) reset() {
	v.n, v.fixed, v.bytes, v.ends, v.valid = 0, v.fixed[:0], v.bytes[:0], v.ends[:0], nil
	if v.elem != nil {
		v.elem.reset()
	}
	for _, f := range v.fields {
		f.reset()
	}
}

func (v *Vector) size() int {
	n := len(v.fixed) + len(v.bytes) + 8*len(v.ends)
	if v.elem != nil {
		n += v.elem.size()
	}
	for _, f := range v.fields {
		n += f.size()
	}
	return n
}

package decode

import (
	"fmt"
	"strings"
)

// Kind says how the values of a column are held.
type Kind uint8

// The kinds, with the DuckDB type each becomes.
const (
	Invalid   Kind = iota
	Bool           // BOOLEAN
	Int8           // TINYINT
	Int16          // SMALLINT
	Int32          // INTEGER
	Int64          // BIGINT
	Uint8          // UTINYINT
	Uint16         // USMALLINT
	Uint32         // UINTEGER
	Uint64         // UBIGINT
	Float32        // FLOAT
	Float64        // DOUBLE
	HugeInt        // HUGEINT: 16 bytes, two's complement, low half first
	Timestamp      // TIMESTAMP_NS: int64 nanoseconds since the Unix epoch
	Duration       // BIGINT: nanoseconds
	String         // VARCHAR
	Enum           // VARCHAR: the name of the value, or its number
	JSON           // VARCHAR: JSON text
	Bytes          // BLOB
	List           // LIST of Elem
	Struct         // STRUCT of Fields
	Map            // MAP; Elem is a Struct of key and value
)

var kindSQL = [...]string{
	Bool: "BOOLEAN", Int8: "TINYINT", Int16: "SMALLINT", Int32: "INTEGER", Int64: "BIGINT",
	Uint8: "UTINYINT", Uint16: "USMALLINT", Uint32: "UINTEGER", Uint64: "UBIGINT",
	Float32: "FLOAT", Float64: "DOUBLE", HugeInt: "HUGEINT", Timestamp: "TIMESTAMP_NS", Duration: "BIGINT",
	String: "VARCHAR", Enum: "VARCHAR", JSON: "VARCHAR", Bytes: "BLOB",
}

var kindWidth = [...]int{
	Bool: 1, Int8: 1, Int16: 2, Int32: 4, Int64: 8, Uint8: 1, Uint16: 2, Uint32: 4, Uint64: 8,
	Float32: 4, Float64: 8, HugeInt: 16, Timestamp: 8, Duration: 8, Map: 0,
}

// Width returns the bytes one value takes, or 0 for kinds that are not of fixed width.
func (k Kind) Width() int { return kindWidth[k] }

// IsText reports whether values are UTF-8 text.
func (k Kind) IsText() bool { return k == String || k == Enum || k == JSON }

// Type is the type of a column or of a part of one.
type Type struct {
	Kind   Kind
	Elem   *Type   // of List and Map
	Fields []Field // of Struct
}

// Field is a member of a Struct.
type Field struct {
	Name        string
	Type        Type
	Description string // comments and constants of the definition, one line
}

// Scalar returns the type of a kind without parts.
func Scalar(k Kind) Type { return Type{Kind: k} }

// ListOf returns the type of lists of elem.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem} }

// StructOf returns the type of structs of fields.
func StructOf(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

// MapOf returns the type of maps from key to value.
func MapOf(key, value Type) Type {
	entry := StructOf(Field{Name: "key", Type: key}, Field{Name: "value", Type: value})
	return Type{Kind: Map, Elem: &entry}
}

// SQL returns the type as DuckDB spells it in DESCRIBE. A struct without fields, which
// DuckDB has not, is a BOOLEAN that is true where the struct is present.
func (t Type) SQL() string {
	switch t.Kind {
	case List:
		return t.Elem.SQL() + "[]"
	case Map:
		return fmt.Sprintf("MAP(%s, %s)", t.Elem.Fields[0].Type.SQL(), t.Elem.Fields[1].Type.SQL())
	case Struct:
		if len(t.Fields) == 0 {
			return kindSQL[Bool]
		}
		var b strings.Builder
		b.WriteString("STRUCT(")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(SpellIdent(f.Name) + " " + f.Type.SQL())
		}
		b.WriteString(")")
		return b.String()
	}
	return kindSQL[t.Kind]
}

// Weight returns how many bytes a value takes in columns at least, roughly: what
// an empty message costs in a list.
func (t Type) Weight() int {
	if t.Kind != Struct {
		return 8
	}
	n := 1
	for _, f := range t.Fields {
		n += f.Type.Weight()
	}
	return n
}

// Equal reports whether t and o are the same type, descriptions aside.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || len(t.Fields) != len(o.Fields) {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Equal(o.Fields[i].Type) {
			return false
		}
	}
	return t.Elem == nil || t.Elem.Equal(*o.Elem)
}

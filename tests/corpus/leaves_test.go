package corpus

import (
	"fmt"
	"math"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/corpustest"
)

// comparison is one leaf with the SQL that computes the same facts.
type comparison struct {
	path  string
	want  corpustest.Leaf
	n     string // SQL of the count of non-null values
	sum   string // SQL of the sum
	loose bool   // a FLOAT column: the sum is compared to 1e-6
	rule  string // the rule of docs/columns.md by which the column differs from the leaf, or ""
}

// compareLeaf finds the columns that hold a leaf. It returns false when there
// is no such column.
func compareLeaf(path string, want corpustest.Leaf, columns map[string]string) (comparison, bool) {
	c := comparison{path: path, want: want}
	if path == "" {
		path = "value"
	}
	name := decode.CleanName(path)
	kind, ok := columns[name]
	if !ok { // protobufjs names fields in camel case
		name, ok = snake(name, columns)
		kind = columns[name]
	}
	q := decode.QuoteIdent(name)
	switch {
	case ok:
		return c.column(q, kind), true
	case columns[name+"_sec"] != "" && want.Kind == "time":
		nsec := name + "_nsec"
		if columns[nsec] == "" {
			nsec = name + "_nanosec"
		}
		sec := decode.QuoteIdent(name + "_sec")
		c.n = count(sec)
		c.sum = fmt.Sprintf("sum(%s::DOUBLE * 1e9 + %s)", sec, decode.QuoteIdent(nsec))
		return c, true
	case part(name, "_seconds", columns) != "": // google.protobuf.Timestamp and Duration
		q := part(name, "_seconds", columns)
		c.n, c.sum = count(q), fmt.Sprintf("sum(floor(%s / 1e9))", nanoseconds(q, columns))
		return c, true
	case part(name, "_nanos", columns) != "":
		q := part(name, "_nanos", columns)
		c.n, c.sum = count(q), fmt.Sprintf("sum(%s %% 1000000000)", nanoseconds(q, columns))
		return c, true
	case part(name, "_sec", columns) != "": // foxglove.Time in protobuf or FlatBuffers
		q := part(name, "_sec", columns)
		c.n, c.sum = count(q), fmt.Sprintf("sum(floor(%s / 1e9))", nanoseconds(q, columns))
		return c, true
	case part(name, "_nsec", columns) != "":
		q := part(name, "_nsec", columns)
		c.n, c.sum = count(q), fmt.Sprintf("sum(%s %% 1000000000)", nanoseconds(q, columns))
		return c, true
	case want.N == 0 && (name == "value" || hasPrefix(columns, name+"_") || want.Kind == "empty"):
		c.n, c.sum = "0", "0"
		c.rule = "an absent or empty message has no column of its own"
		return c, true
	}
	return c, false
}

func (c comparison) column(q, kind string) comparison {
	c.n, c.sum = count(q), "0"
	switch {
	case kind == "TIMESTAMP_NS":
		c.sum = fmt.Sprintf("sum(epoch_ns(%s)::DOUBLE)", q)
	case strings.HasSuffix(kind, "[]") || strings.HasPrefix(kind, "MAP"):
		c.sum = fmt.Sprintf("sum(len(%s))", q)
		if strings.HasPrefix(kind, "MAP") {
			c.sum = fmt.Sprintf("sum(cardinality(%s))", q)
		}
	case kind == "BLOB" && c.want.Kind == "str":
		c.rule, c.sum = "base64 text is a BLOB", fmt.Sprintf("sum(4 * ceil(octet_length(%s) / 3))", q)
	case kind == "BLOB":
		c.sum = fmt.Sprintf("sum(octet_length(%s))", q)
	case kind == "BOOLEAN":
		c.sum = fmt.Sprintf("sum(%s::INTEGER)", q)
	case kind == "VARCHAR" && c.want.Kind == "str":
		c.sum = fmt.Sprintf("sum(strlen(%s))", q)
	case kind == "VARCHAR":
		c.rule = "an enum is its name; mixed or recursive JSON is text"
	case kind == "FLOAT" || kind == "DOUBLE":
		c.loose = kind == "FLOAT"
		c.sum = fmt.Sprintf("sum(%s::DOUBLE) FILTER (isfinite(%s))", q, q)
	default:
		c.sum = fmt.Sprintf("sum(%s::DOUBLE)", q)
	}
	return c
}

// agrees holds what a query returned against the leaf.
func (c comparison) agrees(n uint64, sum float64) error {
	if n != c.want.N {
		return fmt.Errorf("%d values, want %d", n, c.want.N)
	}
	if c.sum == "0" {
		return nil
	}
	tolerance := 1e-9
	if c.loose {
		tolerance = 1e-6
	}
	if diff := math.Abs(sum - c.want.Sum); diff > tolerance*math.Max(math.Abs(c.want.Sum), 1) {
		return fmt.Errorf("sum %v, want %v", sum, c.want.Sum)
	}
	return nil
}

// snake finds the column that differs from a path only in case and "_".
func snake(path string, columns map[string]string) (string, bool) {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for name := range columns {
		if plain(name) == plain(path) {
			return name, true
		}
	}
	return path, false
}

func count(q string) string { return "count(" + q + ")" }

// part is the quoted column of a time whose parts the reference shows as fields.
func part(name, suffix string, columns map[string]string) string {
	base, ok := strings.CutSuffix(name, suffix)
	if kind := columns[base]; ok && (kind == "TIMESTAMP_NS" || kind == "BIGINT") {
		return decode.QuoteIdent(base)
	}
	return ""
}

// nanoseconds is a time or duration column as a number.
func nanoseconds(q string, columns map[string]string) string {
	if columns[strings.Trim(q, `"`)] == "TIMESTAMP_NS" {
		return "epoch_ns(" + q + ")"
	}
	return q
}

func hasPrefix(columns map[string]string, prefix string) bool {
	for name := range columns {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

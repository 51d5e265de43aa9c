package decode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func columnNames(columns []Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name+" "+c.Type.SQL())
	}
	return names
}

func TestFlattenNamesColumns(t *testing.T) {
	number, text := Scalar(Float64), Scalar(String)
	stamp := StructOf(Field{Name: "t", Type: Scalar(Timestamp)}, Field{Name: "frame", Type: text})
	for _, test := range []struct {
		name string
		root Type
		opt  Options
		want []string
	}{
		{"nested at every depth", StructOf(Field{Name: "a", Type: StructOf(Field{Name: "b", Type: stamp})}), Options{},
			[]string{"a_b_t TIMESTAMP_NS", "a_b_frame VARCHAR"}},
		{"deeper than the depth", StructOf(Field{Name: "a", Type: StructOf(Field{Name: "b", Type: stamp})}), Options{FlattenDepth: 1},
			[]string{`a_b STRUCT(t TIMESTAMP_NS, frame VARCHAR)`}},
		{"joined names collide", StructOf(Field{Name: "a_b", Type: number}, Field{Name: "a", Type: StructOf(Field{Name: "b", Type: text})}), Options{},
			[]string{"a_b DOUBLE", "a_b_2 VARCHAR"}},
		{"case alone does not tell names apart", StructOf(Field{Name: "K", Type: number}, Field{Name: "k", Type: number}, Field{Name: "k", Type: number}), Options{},
			[]string{"K DOUBLE", "k_2 DOUBLE", "k_3 DOUBLE"}},
		{"the number may be taken too", StructOf(Field{Name: "x", Type: number}, Field{Name: "x_2", Type: number}, Field{Name: "x", Type: number}), Options{},
			[]string{"x DOUBLE", "x_2 DOUBLE", "x_3 DOUBLE"}},
		{"the table's own names", StructOf(Field{Name: "timestamp_us", Type: number}), Options{Reserved: []string{"timestamp_us"}},
			[]string{"timestamp_us_2 DOUBLE"}},
		{"names that DuckDB refuses", StructOf(Field{Name: "", Type: number}, Field{Name: "a\x00b", Type: number}, Field{Name: "\xff", Type: number}), Options{},
			[]string{"_ DOUBLE", "a_b DOUBLE", "__2 DOUBLE"}},
		{"in structs too", StructOf(Field{Name: "l", Type: ListOf(StructOf(Field{Name: "x", Type: number}, Field{Name: "X", Type: number}))}), Options{},
			[]string{`l STRUCT(x DOUBLE, X_2 DOUBLE)[]`}},
		{"empty messages have no column, lists of them do", StructOf(Field{Name: "e", Type: StructOf()}, Field{Name: "l", Type: ListOf(StructOf())}), Options{},
			[]string{"l BOOLEAN[]"}},
		{"names without end are cut between runes", StructOf(Field{Name: strings.Repeat("é", MaxName), Type: StructOf(Field{Name: "x", Type: number})}, Field{Name: strings.Repeat("é", MaxName), Type: text}), Options{},
			[]string{strings.Repeat("é", MaxName/2) + " DOUBLE", strings.Repeat("é", MaxName/2) + "_2 VARCHAR"}},
		{"maps", StructOf(Field{Name: "m", Type: MapOf(text, ListOf(number))}), Options{}, []string{"m MAP(VARCHAR, DOUBLE[])"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			layout, err := Flatten(test.root, test.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, columnNames(layout.Columns)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlattenSaysWhereFieldsGo(t *testing.T) {
	layout, err := Flatten(StructOf(Field{Name: "a", Type: Scalar(Bool)}, Field{Name: "n", Type: StructOf(Field{Name: "b", Type: Scalar(Bool)})}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Node{Column: -1, Fields: []Node{{Column: 0}, {Column: -1, Fields: []Node{{Column: 1}}}}}
	if diff := cmp.Diff(want, layout.Root); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A few lines of definition may ask for 2^40 columns, or for types 2^40 fields wide.
func TestFlattenIsBounded(t *testing.T) {
	wide, list, deep := Scalar(Bool), Scalar(Bool), Scalar(Bool)
	for i := range 40 {
		a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
		wide = StructOf(Field{Name: a, Type: wide}, Field{Name: b, Type: wide})
		list = ListOf(StructOf(Field{Name: a, Type: list}, Field{Name: b, Type: list}))
	}
	for range MaxNesting + 1 {
		deep = StructOf(Field{Name: "d", Type: deep})
	}
	for name, root := range map[string]Type{"columns": wide, "fields in a column": StructOf(Field{Name: "l", Type: list}), "depth": deep} {
		if _, err := Flatten(root, Options{}); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestManyEqualNamesTakeLittleTime(t *testing.T) {
	fields := make([]Field, MaxColumns)
	for i := range fields {
		fields[i] = Field{Name: "same", Type: Scalar(Bool)}
	}
	layout, err := Flatten(StructOf(fields...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := layout.Columns[MaxColumns-1].Name, fmt.Sprintf("same_%d", MaxColumns); got != want {
		t.Errorf("the last is %s, want %s", got, want)
	}
}

func TestTypesAreEqualWhateverTheirDescriptions(t *testing.T) {
	a := ListOf(StructOf(Field{Name: "x", Type: Scalar(Int8), Description: "one"}))
	b := ListOf(StructOf(Field{Name: "x", Type: Scalar(Int8)}))
	c := ListOf(StructOf(Field{Name: "x", Type: Scalar(Uint8)}))
	if !a.Equal(b) || a.Equal(c) || a.Equal(*a.Elem) {
		t.Errorf("a=b %v, a=c %v, a=elem %v", a.Equal(b), a.Equal(c), a.Equal(*a.Elem))
	}
}

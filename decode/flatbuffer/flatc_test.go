package flatbuffer

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// flatcFile returns a file that flatc wrote, from the tests of the FlatBuffers
// module itself.
func flatcFile(t testing.TB, path string) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/flatbuffers").Output()
	if err != nil {
		t.Skip("the go command can't tell where the FlatBuffers module is:", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "tests", path))
	if err != nil {
		t.Skip("the FlatBuffers module comes without its tests:", err)
	}
	return b
}

// TestFlatc reads schemas and messages that flatc made. What they say is in the
// .json files beside them.
func TestFlatc(t *testing.T) {
	null := func(names ...string) map[string]any {
		m := map[string]any{}
		for _, name := range names {
			m[name] = nil
		}
		return m
	}
	type object = map[string]any
	for _, test := range []struct {
		name, schema, msg, root string
		whole                   bool // want has every column
		want                    object
	}{
		{"every kind of field", "annotated_binary/annotated_binary.bfbs", "annotated_binary/annotated_binary.bin", "AnnotatedBinary.Foo", true, object{
			"counter": int32(1234), "healthy": true, "level": int64(99), "meal": "Banana",
			"bar_a": 123456.789, "bar_b": float32(987654.321), "bar_c_meal": "Apple",
			"home_floors": int32(1), "home_doors": int32(2), "home_windows": int32(12),
			"home_dimensions_values":     []any{int32(10), int32(12), int32(20)},
			"home_dimensions_tolerances": []any{object{"width": uint8(1)}, object{"width": uint8(2)}, object{"width": uint8(3)}},
			"name":                       "This is a long string to show how it breaks up.",
			"bars": []any{object{"a": 123.0, "b": float32(456), "c": object{"meal": "Apple"}},
				object{"a": 987.0, "b": float32(654), "c": object{"meal": "Kiwi"}}},
			"bar_baz_type": "Baz", "bar_baz_Bar_a": nil, "bar_baz_Bar_b": nil, "bar_baz_Bar_c_meal": nil, "bar_baz_Baz_meal": "Kiwi",
			"accounts": []any{uint16(9), uint16(8), uint16(7), uint16(1), uint16(2), uint16(3), uint16(6), uint16(5), uint16(4)},
			"bob":      "charlie", "alice": "charlie", "charlie": "alice", "maybe_i32": nil, "default_i32": int32(42), "just_i32": int32(13),
			"names": []any{"alice", "bob", "charlie"},
			"points_of_interest": []any{object{"latitude": 43.275, "longitude": -78.114990},
				object{"latitude": 37.422001, "longitude": -122.084061}, object{"latitude": -54.420792, "longitude": 3.346450}},
			"foobars_type":     []any{"Bar", "Baz", "Bar"},
			"foobars":          decodetest.JSON(`[{"a":123,"b":456,"c":{"meal":"Apple"}},{},{"a":987,"b":654,"c":{"meal":"Kiwi"}}]`),
			"measurement_type": "Tolerance", "measurement_Tolerance_width": uint8(5),
			"measurement_Dimension_values": nil, "measurement_Dimension_tolerances": nil,
			"anything_type": "Bar", "anything_Bar_a": 321.0, "anything_Bar_b": float32(654), "anything_Bar_c_meal": nil, "anything_Tolerance_width": nil,
			"temperature": float32(98.6), "teetotaler_a": nil, "teetotaler_b": nil, "teetotaler_c_meal": nil,
		}},
		{"recursive types, bit flags, defaults", "monster_test.bfbs", "monsterdata_test.mon", "", false, object{
			"pos_x": float32(1), "pos_test1": 3.0, "pos_test2": "Green", "pos_test3_a": int16(5), "pos_test3_b": int8(6),
			"hp": int16(80), "mana": int16(150), "name": "MyMonster", "color": "Blue", "inventory": []byte{0, 1, 2, 3, 4},
			"test_type": "Monster", "test_Monster": decodetest.JSON(`{"name":"Fred"}`), "test_MyGame_Example2_Monster": nil, "enemy": decodetest.JSON(`{"name":"Fred"}`),
			"test4":             []any{object{"a": int16(10), "b": int8(20)}, object{"a": int16(30), "b": int8(40)}},
			"testarrayofstring": []any{"test1", "test2"}, "testarrayofbools": []any{true, false, true}, "testarrayofstring2": nil,
			"any_unique_type": "NONE", "signed_enum": "None", "long_enum_non_enum_default": "0", "long_enum_normal_default": "LongOne",
			"testf": float32(3.14159), "double_inf_default": math.Inf(1), "testhashu64_fnv1": uint64(0x6e0f80cdf27b9181),
			"vector_of_doubles":        []any{-math.MaxFloat64, 0.0, math.MaxFloat64},
			"scalar_key_sorted_tables": []any{object{"id": "miss", "val": int64(0), "count": uint16(0)}, object{"id": "hit", "val": int64(10), "count": uint16(1)}},
		}},
		{"64-bit offsets and vectors", "64bit/test_64bit.bfbs", "64bit/test_64bit.bin", "", true, merge(object{
			"a": int32(1234), "far_vector": []byte{1, 2, 3}, "far_string": "this is a far string which has a 64-bit offset",
			"big_vector": []byte{5, 6, 7, 8}, "big_bool_vector": []byte{1, 0, 1, 1, 0, 0, 1}, "near_string": "this is a near string which has a 32-bit offset",
			"big_struct_vector": []any{object{"a": int32(12), "b": 3.456}, object{"a": int32(78), "b": 9.1}},
		}, null("nested_root", "far_struct_vector", "many_vectors", "forced_aligned_vector"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := mustCompile(t, flatcFile(t, test.schema), test.root, decode.Options{})
			got := decodetest.MustDecode(t, plan, flatcFile(t, test.msg))[0]
			if !test.whole {
				got = only(got, test.want)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

func merge(a, b map[string]any) map[string]any {
	maps.Copy(a, b)
	return a
}

// only returns the columns of a row that want has.
func only(row, want map[string]any) map[string]any {
	some := map[string]any{}
	for name := range want {
		some[name] = row[name]
	}
	return some
}

func TestFlatcOrderAndDocumentation(t *testing.T) {
	plan := mustCompile(t, flatcFile(t, "monster_test.bfbs"), "MyGame.Example.Monster", decode.Options{FlattenDepth: 1})
	want := []string{`pos_x FLOAT`, `pos_y FLOAT`, `pos_z FLOAT`, `pos_test1 DOUBLE`, `pos_test2 VARCHAR`,
		`pos_test3 STRUCT(a SMALLINT, b TINYINT)`, `mana SMALLINT`, `hp SMALLINT`, `name VARCHAR`, `inventory BLOB`, `color VARCHAR`}
	if diff := cmp.Diff(want, decodetest.Columns(plan)[:len(want)]); diff != "" {
		t.Errorf("first columns (-want +got):\n%s", diff)
	}
	for _, c := range plan.Columns() {
		const doc = "an example documentation comment: this will end up in the generated code multiline too"
		if c.Name == "testarrayoftables" && c.Description != doc {
			t.Errorf("description %q, want %q", c.Description, doc)
		}
	}
}

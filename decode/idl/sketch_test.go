package idl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// compile returns the type that a text in ros2idl or omgidl gives.
func compile(d decode.Decoder, name, src string) (*cdr.Type, error) {
	return d.(decoder).model(decode.Schema{Name: name, Encoding: d.(decoder).schemaEncoding, Data: []byte(src)})
}

// mustCompile returns the struct T that a text in omgidl gives.
func mustCompile(t *testing.T, src string) *cdr.Type {
	t.Helper()
	root, err := compile(OMG(), "T", src)
	if err != nil {
		t.Fatalf("%v\nin %s", err, src)
	}
	return root
}

// refuse checks that a text can't be used, for a reason that says all of want.
func refuse(t *testing.T, d decode.Decoder, name, src string, want ...string) {
	t.Helper()
	_, err := d.Compile(decode.Schema{Name: name, Data: []byte(src)}, decode.Options{})
	if !errors.Is(err, decode.ErrSchema) {
		t.Errorf("error %v is no decode.ErrSchema; want %q\nin %s", err, want, decode.Shorten(src, 200))
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q\nin %s", err, w, decode.Shorten(src, 200))
		}
	}
}

var kindNames = map[cdr.Kind]string{
	cdr.Bool: "bool", cdr.Int8: "i8", cdr.Uint8: "u8", cdr.Byte: "byte", cdr.Int16: "i16", cdr.Uint16: "u16",
	cdr.Int32: "i32", cdr.Uint32: "u32", cdr.Int64: "i64", cdr.Uint64: "u64", cdr.Float32: "f32", cdr.Float64: "f64",
	cdr.LongDouble: "f128", cdr.Char: "char", cdr.WChar: "wchar", cdr.String: "string", cdr.WString: "wstring",
	cdr.Time: "time", cdr.Duration: "duration",
}

// sketch draws a type in one line: {a i32, b? [3]f64 #7, c seq enum8(A=0)}. An
// id is drawn where it is not the member's place.
func sketch(t *cdr.Type) string { return sketchBelow(t, map[*cdr.Type]bool{}) }

func sketchBelow(t *cdr.Type, above map[*cdr.Type]bool) string {
	if above[t] {
		return "^" + t.Name
	}
	switch t.Kind {
	case cdr.Array:
		return fmt.Sprintf("[%d]%s", t.Len, sketchBelow(t.Elem, above))
	case cdr.Sequence:
		return "seq " + sketchBelow(t.Elem, above)
	case cdr.Enum:
		var labels []string
		for _, l := range t.Labels {
			labels = append(labels, fmt.Sprintf("%s=%d", l.Name, l.Value))
		}
		return fmt.Sprintf("enum%d(%s)", t.Bits, strings.Join(labels, " "))
	case cdr.Struct, cdr.Union:
		above[t] = true
		defer delete(above, t)
		return sketchMembers(t, above)
	}
	return kindNames[t.Kind]
}

func sketchMembers(t *cdr.Type, above map[*cdr.Type]bool) string {
	head, first := "", uint32(0)
	if t.Kind == cdr.Union {
		head, first = "switch "+sketchBelow(t.Discriminator, above)+" ", 1
	}
	var members []string
	for i, m := range t.Members {
		name := m.Name
		if m.Optional {
			name += "?"
		}
		text := name + " " + sketchBelow(m.Type, above)
		if m.ID != uint32(i)+first {
			text += fmt.Sprintf(" #%d", m.ID)
		}
		if t.Kind == cdr.Union {
			text += fmt.Sprint(" ", m.Cases)
		}
		if m.Default {
			text += " default"
		}
		members = append(members, text)
	}
	return head + "{" + strings.Join(members, ", ") + "}"
}

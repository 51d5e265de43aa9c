package ros

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

type (
	row    = decodetest.Row
	writer = cdrtest.Writer
)

const (
	cdrLE   = 0x0001
	divider = "================================================================================\n"
)

func compile(d decode.Decoder, name, text string) (decode.Plan, error) {
	return d.Compile(decode.Schema{Name: name, Data: []byte(text)}, decode.Options{})
}

func planOf(t *testing.T, d decode.Decoder, name, text string) decode.Plan {
	t.Helper()
	p, err := compile(d, name, text)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return p
}

func wantColumns(t *testing.T, p decode.Plan, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), decodetest.Columns(p)); diff != "" {
		t.Errorf("columns differ (-want +got):\n%s", diff)
	}
}

func wantRow(t *testing.T, p decode.Plan, w *writer, want row) {
	t.Helper()
	got, err := decodetest.Decode(p, w.Message())
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	if diff := cmp.Diff([]row{want}, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

func wantSchemaError(t *testing.T, d decode.Decoder, name, text, want string) {
	t.Helper()
	_, err := compile(d, name, text)
	if !errors.Is(err, decode.ErrSchema) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one of the schema with %q", err, want)
	}
}

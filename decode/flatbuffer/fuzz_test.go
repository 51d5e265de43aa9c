package flatbuffer

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// FuzzMessage decodes any bytes as messages of a table with everything in it.
// What is refused must leave no trace.
func FuzzMessage(f *testing.F) {
	compiled := mustCompile(f, buildSchema(f, shop()), "Shop", decode.Options{})
	first := message(fullShop)
	f.Add(first)
	f.Add(message(emptyShop))
	f.Fuzz(func(t *testing.T, msg []byte) {
		plan := compiled.Fork()
		b := decode.NewBatch(plan.Columns(), nil)
		if err := plan.Decode(first, b); err != nil {
			t.Fatal(err)
		}
		before := decodetest.Rows(plan, b)[0]
		want := 2
		if err := plan.Decode(msg, b); err != nil {
			b.DropRow()
			want = 1
		}
		if b.Rows() != want {
			t.Fatalf("%d rows, want %d", b.Rows(), want)
		}
		decodetest.CheckBatch(t, b)
		if diff := cmp.Diff(before, decodetest.Rows(plan, b)[0], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("the row before changed:\n%s", diff)
		}
	})
}

// FuzzSchema compiles any bytes as a schema and decodes others by it.
func FuzzSchema(f *testing.F) {
	f.Add(buildSchema(f, shop()), "Shop", message(fullShop))
	f.Add(buildSchema(f, shop()), "", message(emptyShop))
	f.Fuzz(func(t *testing.T, data []byte, name string, msg []byte) {
		plan, err := New().Compile(decode.Schema{Name: name, Data: data}, decode.Options{})
		if err != nil {
			if !errors.Is(err, decode.ErrSchema) {
				t.Fatalf("error %v does not wrap ErrSchema", err)
			}
			return
		}
		b := decode.NewBatch(plan.Columns(), nil)
		for _, p := range []decode.Plan{plan, plan.Fork()} {
			if err := p.Decode(msg, b); err != nil {
				b.DropRow()
			}
			decodetest.CheckBatch(t, b)
		}
	})
}

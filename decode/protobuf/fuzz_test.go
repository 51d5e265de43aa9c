package protobuf

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// FuzzMessage decodes any bytes as messages of a type with everything in it.
// What the library takes as a message must be taken; what is refused must
// leave no trace.
func FuzzMessage(f *testing.F) {
	set := compileOne(f, everything)
	md := descriptorOf(f, set, "t.Everything")
	r := generator{rand.New(rand.NewPCG(2, 2))}
	for range 20 {
		f.Add(r.encoding(f, md))
	}
	compiled := mustCompile(f, schemaOf(f, set, "t.Everything"), decode.Options{})
	first := encode(f, set, "t.Everything", `i32: 1 leaves { key: "k" value { deltas: 1 } } rbranch { leaves {} } ats {}`)
	f.Fuzz(func(t *testing.T, msg []byte) {
		plan := compiled.Fork()
		b := decode.NewBatch(plan.Columns(), nil)
		if err := plan.Decode(first, b); err != nil {
			t.Fatal(err)
		}
		before := decodetest.Rows(plan, b)[0]
		given := bytes.Clone(msg)
		err := plan.Decode(msg, b)
		if !bytes.Equal(given, msg) {
			t.Fatal("the message was changed")
		}
		if err != nil {
			b.DropRow()
			if !isLimit(err) && libraryTakes(md, msg) {
				t.Errorf("refused what the library takes: %v", err)
			}
			if b.Rows() != 1 {
				t.Fatalf("%d rows after an error", b.Rows())
			}
		} else if b.Rows() != 2 {
			t.Fatalf("%d rows after a message", b.Rows())
		}
		decodetest.CheckBatch(t, b)
		if diff := cmp.Diff(before, decodetest.Rows(plan, b)[0], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("the row before changed:\n%s", diff)
		}
	})
}

// libraryTakes reports whether the library reads a message. It panics on some
// entries of maps that are no entries.
func libraryTakes(md protoreflect.MessageDescriptor, msg []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return proto.Unmarshal(msg, dynamicpb.NewMessage(md)) == nil
}

// isLimit reports whether an error is one that only columns know.
func isLimit(err error) bool {
	return errors.Is(err, errRange) || errors.Is(err, decode.ErrExpands) || errors.Is(err, errDepth)
}

// FuzzSchema compiles any bytes as a schema and decodes others by it.
func FuzzSchema(f *testing.F) {
	for source, name := range map[string]string{everything: "t.Everything", legacy: "t.Legacy", editions: "t.Edition", tree: "t.Tree"} {
		set := compileOne(f, source)
		r := generator{rand.New(rand.NewPCG(3, 3))}
		f.Add(schemaOf(f, set, name).Data, name, r.encoding(f, descriptorOf(f, set, protoreflect.FullName(name))))
	}
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

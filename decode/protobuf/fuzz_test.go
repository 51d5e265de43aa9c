package protobuf

import (
	"errors"
	"math/rand/v2"
	"testing"

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
		err := decodetest.CheckBetween(t, compiled.Fork(), first, msg)
		if err != nil && !isLimit(err) && libraryTakes(md, msg) {
			t.Errorf("refused what the library takes: %v", err)
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
		decodetest.CheckSchema(t, New(), decode.Schema{Name: name, Data: data}, msg)
	})
}

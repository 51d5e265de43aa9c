package flatbuffer

import (
	"testing"

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
		_ = decodetest.CheckBetween(t, compiled.Fork(), first, msg)
	})
}

// FuzzSchema compiles any bytes as a schema and decodes others by it.
func FuzzSchema(f *testing.F) {
	f.Add(buildSchema(f, shop()), "Shop", message(fullShop))
	f.Add(buildSchema(f, shop()), "", message(emptyShop))
	f.Fuzz(func(t *testing.T, data []byte, name string, msg []byte) {
		decodetest.CheckSchema(t, New(), decode.Schema{Name: name, Data: data}, msg)
	})
}

package jsonmsg

import (
	"fmt"
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

func BenchmarkDecode(b *testing.B) {
	for _, bench := range []struct {
		name   string
		schema string
		format string
	}{
		{"flat", ``, `{"t":%d,"x":1.25,"y":-3.5,"state":"running","ok":true}`},
		{"declared", `{"type":"object","properties":{"t":{"type":"integer"},"x":{"type":"number"},"y":{"type":"number"},"state":{"type":"string"},"ok":{"type":"boolean"}}}`,
			`{"t":%d,"x":1.25,"y":-3.5,"state":"running","ok":true}`},
		{"spaced", ``, `{"t": %d, "x": 1.25, "y": -3.5, "state": "running", "ok": true}`},
		{"long doubles", ``, `{"t":%d,"x":0.10000000149011612,"y":-0.029237786307930946,"state":"running","ok":true}`},
		{"nested", ``, `{"header":{"stamp":%d,"frame_id":"map"},"pose":{"position":{"x":1.5,"y":2.25,"z":0},"orientation":{"x":0,"y":0,"z":0,"w":1}},"cov":[0.5,0,0,0,0.5,0,0,0,1.44]}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var messages [][]byte
			p := compile(b, jsonschema(bench.schema), decode.Options{})
			for i := range 1000 {
				m := []byte(fmt.Sprintf(bench.format, 123456789+i))
				if err := p.Observe(m); err != nil {
					b.Fatal(err)
				}
				messages = append(messages, m)
			}
			decodetest.Benchmark(b, p, messages...)
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	p := compile(b, decode.Schema{}, decode.Options{})
	message := []byte(`{"t":123456789,"x":1.25,"y":-3.5,"state":"running","ok":true}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Observe(message); err != nil {
			b.Fatal(err)
		}
	}
}

package decodetest

import (
	"testing"

	"tapedeck/decode"
)

// batchRows is how many rows a batch takes in benchmarks, as in a load.
const batchRows = 2048

// Benchmark measures how a plan decodes messages of about one size, one after
// the other.
func Benchmark(b *testing.B, plan decode.Plan, messages ...[]byte) {
	b.Helper()
	batch := decode.NewBatch(plan.Columns(), nil)
	b.SetBytes(int64(len(messages[0])))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if batch.Rows() == batchRows {
			batch.Reset()
		}
		if err := plan.Decode(messages[i%len(messages)], batch); err != nil {
			b.Fatal(err)
		}
	}
}

package flatbuffer

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/internal/corpustest"
)

// TestRealRecording compares with what the reference libraries found in the
// one recording of flatbuffers that the corpus, beside the repository, has.
func TestRealRecording(t *testing.T) {
	path := corpustest.Recording(t, "real/turkenberg-mcap_mcp_server/fixtures/flatbuffer.mcap")
	var plan decode.Plan
	var b *decode.Batch
	for m := range decodetest.Messages(t, path) {
		if plan == nil {
			plan = mustCompile(t, m.Schema.Data, m.Schema.Name, decode.Options{})
			b = decode.NewBatch(plan.Columns(), nil)
		}
		if err := plan.Decode(m.Data, b); err != nil {
			t.Fatal(err)
		}
	}
	decodetest.CheckBatch(t, b)
	if diff := cmp.Diff([]string{"voltage DOUBLE", "current DOUBLE", "percentage DOUBLE"}, decodetest.Columns(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	sums := map[string]float64{}
	for _, row := range decodetest.Rows(plan, b) {
		for name, value := range row {
			sums[name] += value.(float64)
		}
	}
	for name, want := range map[string]float64{"voltage": 239.55, "current": -19.775, "percentage": 9.775} {
		if math.Abs(sums[name]-want) > 1e-9*math.Abs(want) {
			t.Errorf("sum of %s: %v, want %v", name, sums[name], want)
		}
	}
	if b.Rows() != 10 {
		t.Errorf("%d rows, want 10", b.Rows())
	}
}

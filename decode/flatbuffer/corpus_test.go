package flatbuffer

import (
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
)

// TestRealRecording compares with what the reference libraries found in the
// one recording of flatbuffers that the corpus, beside the repository, has.
func TestRealRecording(t *testing.T) {
	f, err := os.Open("../../../shared/corpus/mcap/real/turkenberg-mcap_mcp_server/fixtures/flatbuffer.mcap")
	if err != nil {
		t.Skip("the corpus of recordings is not here:", err)
	}
	defer f.Close()
	reader, err := mcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	it, err := reader.Messages(mcap.UsingIndex(false))
	if err != nil {
		t.Fatal(err)
	}
	var plan decode.Plan
	var b *decode.Batch
	for {
		schema, _, msg, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if plan == nil {
			plan = mustCompile(t, schema.Data, schema.Name, decode.Options{})
			b = decode.NewBatch(plan.Columns(), nil)
		}
		if err := plan.Decode(msg.Data, b); err != nil {
			t.Fatal(err)
		}
	}
	checkLengths(t, b)
	if diff := cmp.Diff([]string{"voltage DOUBLE", "current DOUBLE", "percentage DOUBLE"}, columnTypes(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	sums := map[string]float64{}
	for i := range b.Rows() {
		for name, value := range row(plan, b, i) {
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

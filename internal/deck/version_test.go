package deck

import (
	"encoding/json"
	"slices"
	"testing"
)

// Clients of the Python MCAP server find the fields and decoders that they know.
func TestVersionHasTheShapeOfThePythonServer(t *testing.T) {
	text, err := json.Marshal(openDeck(t, Options{Version: "0.5.1"}).Version())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got["version"] != "0.5.1" || got["upgrade"] == "" {
		t.Errorf("%s", text)
	}
	decoders, _ := got["decoders"].([]any)
	for _, name := range []string{"JsonDecoder", "ProtobufDecoder", "Ros1Decoder", "Ros2Decoder", "FlatBufferDecoder"} {
		if !slices.Contains(decoders, any(name)) {
			t.Errorf("%s is missing in %s", name, text)
		}
	}
}

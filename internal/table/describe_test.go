package table

import (
	"context"
	"errors"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode/registry"
)

// A look at messages must end however large the recording and however rare the
// topic.
func TestALookAtMessagesIsBounded(t *testing.T) {
	var messages []message
	for i := range 20000 {
		messages = append(messages, message{"/often", uint64(i) * 1000, value(i)})
	}
	messages = append(messages, message{"/rare", 1e9, `{"late":1}`})
	src := record(t, jsonChannels("/often", "/rare"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 16 << 10})
	for name, test := range map[string]struct {
		left  budget
		topic string
		whole bool
	}{
		"few messages":             {budget{messages: 100, file: 1 << 40}, "/often", false},
		"a small part of the file": {budget{messages: 1 << 40, file: 10 << 10}, "/rare", false},
		"all of it":                {unbounded, "/rare", true},
	} {
		options := Options{Topics: []string{test.topic}}
		topics := plan(src.Summary.Channels, registry.Decoders(), options)
		whole, err := observe(t.Context(), src, options, topics, test.left)
		if err != nil || whole != test.whole {
			t.Errorf("%s: whole %v, error %v", name, whole, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Describe(ctx, src, registry.Decoders(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

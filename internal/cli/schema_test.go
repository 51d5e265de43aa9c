package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
)

func TestSchemaFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeUnknownTopic, Message: `there is no topic "/im"`, Nearest: []string{"/imu"}}}
	runWith(t, f, "", "schema", "a.mcap", "--topic", "/im").check(t, 1, "", "tapedeck: there is no topic \"/im\"\n  Nearest: /imu\n")
	if diff := cmp.Diff([]any{[2]string{"a.mcap", "/im"}}, f.asked); diff != "" {
		t.Errorf("operations differ (-want +got):\n%s", diff)
	}
}

func TestSchemaTables(t *testing.T) {
	f := &fakeDeck{schema: &deck.RecordingSchema{
		Topics: map[string]deck.TopicSchema{
			"/order": {
				TableName: "order", SQLName: `"order"`, MessageCount: 1, Inferred: true, Warnings: []string{"column a was widened", "/order: column b was widened"},
				Fields: []deck.Field{{Name: "timestamp_us", Type: "BIGINT", Description: "log time"}},
			},
			"/cam": {
				TableName: "cam", MessageCount: 2000, SchemaName: "Image",
				Fields: []deck.Field{{Name: "data_size", Type: "UINTEGER", Description: "pixels", OmittedByDefault: true}},
			},
		},
		SkippedTopics: []deck.SkippedTopic{{Topic: "/odd", Reason: "no decoder for cbor"}},
	}}
	runWith(t, f, "", "schema", "a.mcap").check(t, 0, `cam: topic /cam, 2,000 messages, Image
COLUMN     TYPE      DESCRIPTION
data_size  UINTEGER  pixels; stands for a large BLOB; --blobs load brings it

"order": topic /order, 1 message, columns inferred
COLUMN        TYPE    DESCRIPTION
timestamp_us  BIGINT  log time
`, "tapedeck: no table for /odd: no decoder for cbor\ntapedeck: warning: /order: column a was widened\ntapedeck: warning: /order: column b was widened\n")
}

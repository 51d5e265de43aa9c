package cli

import (
	"encoding/json"
	"testing"

	"tapedeck/internal/deck"
	"tapedeck/internal/recording"
)

var someInfo = &deck.RecordingInfo{
	File: "a.mcap", Path: "/d/a.mcap", StartTime: "s", EndTime: "e", DurationS: 1.5, MessageCount: 3, SizeMB: 0.1,
	Compression: []string{"zstd", "none"},
	Channels: map[string]deck.ChannelInfo{
		"/b":         {SchemaName: "B", MessageEncoding: "json", SchemaEncoding: "jsonschema", Decoder: "JsonDecoder", MessageCount: 1, MeanBytes: 10.4},
		"/a\x1b[31m": {SchemaName: "A", MessageEncoding: "cbor", MessageCount: 2, MeanBytes: 100},
	},
	Metadata:    map[string]map[string]string{"run": {"robot": "r7"}},
	Attachments: []deck.AttachmentInfo{{Name: "c.yaml", MediaType: "text/yaml", SizeBytes: 12}},
}

func TestInfoFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeFileNotFound, Message: `there is no recording "a"`, Nearest: []string{"a.mcap"}, Hint: "list_recordings shows what is there"}}
	runWith(t, f, "", "info", "a").check(t, 1, "", "tapedeck: there is no recording \"a\"\n  Nearest: a.mcap\n  Try: tapedeck ls shows what is there\n")
}

func TestInfoTables(t *testing.T) {
	runWith(t, &fakeDeck{info: someInfo}, "", "info", "a.mcap").check(t, 0, `RECORDING    a.mcap
path         /d/a.mcap
start        s
end          e
seconds      1.5
messages     3
MB           0.1
compression  zstd, none

TOPIC       SCHEMA  ENCODING         DECODER      MESSAGES  MEAN BYTES
/a\x1b[31m  A       cbor             none                2         100
/b          B       json/jsonschema  JsonDecoder         1          10

METADATA  KEY    VALUE
run       robot  r7

ATTACHMENT  TYPE       BYTES
c.yaml      text/yaml     12
`, "")
}

func TestInfoOfADamagedRecording(t *testing.T) {
	damaged := *someInfo
	damaged.Warnings = []recording.Warning{{Code: "truncated", Offset: 77, Text: "the file ends early"}}
	o := runWith(t, &fakeDeck{info: &damaged}, "", "info", "a.mcap", "--json")
	var got deck.RecordingInfo
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.File != "a.mcap" || len(got.Warnings) != 1 {
		t.Errorf("stdout is %s (%v)", o.out, err)
	}
	o.out = ""
	o.check(t, 3, "", "tapedeck: warning: the file ends early (at byte 77)\ntapedeck: a part of the recordings could not be read: 1 warning above\n")
}

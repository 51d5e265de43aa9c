package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/deck"
	"tapedeck/internal/recording"
)

var someInfo = &deck.RecordingInfo{
	File: "a.mcap", Path: "/d/a.mcap", StartTime: "2025-06-03T09:00:00.000+00:00", EndTime: "2025-06-03T09:00:01.500+00:00", DurationS: 1.5, MessageCount: 1003, SizeMB: 0.1,
	Compression: []string{"zstd", "none"},
	Channels: map[string]deck.ChannelInfo{
		"/b":         {SchemaName: "B", MessageEncoding: "json", SchemaEncoding: "jsonschema", Decoder: "JsonDecoder", MessageCount: 1001, MeanBytes: 10.4},
		"/a\x1b[31m": {SchemaName: "A", MessageEncoding: "cbor", MessageCount: 2, MeanBytes: 100},
	},
	Metadata:    map[string]map[string]string{"run": {"robot": "r7"}},
	Attachments: []deck.AttachmentInfo{{Name: "c.yaml", MediaType: "text/yaml", SizeBytes: 12}},
}

func TestInfoFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeFileNotFound, Message: `there is no recording "a"`, Nearest: []string{"a.mcap"}, Hint: "list_recordings shows what is there"}}
	runWith(t, f, "", "info", "a").check(t, 1, "", "tapedeck: there is no recording \"a\"\n  Nearest: a.mcap\n  Hint: tapedeck ls shows what is there\n")
}

func TestInfoTables(t *testing.T) {
	runWith(t, &fakeDeck{info: someInfo}, "", "info", "a.mcap").check(t, 0, `RECORDING    a.mcap
path         /d/a.mcap
start (UTC)  2025-06-03 09:00:00
end (UTC)    2025-06-03 09:00:01.500
seconds      1.5
messages     1,003
size         102 KB
compression  zstd, none

TOPIC       MESSAGES  MEAN SIZE  ENCODING           SCHEMA
/a\x1b[31m         2      100 B  cbor (no decoder)  A
/b             1,001       10 B  json/jsonschema    B

METADATA  KEY    VALUE
run       robot  r7

ATTACHMENT  SIZE  TYPE
c.yaml      12 B  text/yaml
`, "")
}

// TestInfoOfOddNames: what a recording says of itself may be empty, repeated or endless.
func TestInfoOfOddNames(t *testing.T) {
	long := strings.Repeat("x", 100)
	o := runWith(t, &fakeDeck{info: &deck.RecordingInfo{
		File: "/d/a.mcap", Path: "/d/a.mcap",
		Channels: map[string]deck.ChannelInfo{"": {MessageEncoding: "json", Decoder: "JsonDecoder"}, "/" + long: {}},
		Metadata: map[string]map[string]string{"run": {"k": "2"}, "": {}},
		MetadataRecords: []deck.MetadataRecord{
			{Name: "run", Values: map[string]string{"k": "1"}}, {Name: "run", Values: map[string]string{"k": "2"}}, {Name: "", Values: nil},
		},
	}}, "", "info", "a.mcap")
	o.check(t, 0, `RECORDING  /d/a.mcap
seconds    0.0
messages   0
size       0 B

TOPIC                                                                             MESSAGES  MEAN SIZE  ENCODING      SCHEMA
""                                                                                       0        0 B  json
/`+long[:78]+`…         0        0 B  (no decoder)

METADATA  KEY  VALUE
run       k    1
run       k    2
""
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

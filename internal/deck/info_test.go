package deck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/sample"
)

func TestInfoTellsAllOfARecording(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	info, err := d.RecordingInfo(t.Context(), "drive_02")
	if err != nil {
		t.Fatal(err)
	}
	drive := sample.Drives()[1]
	if info.File != drive.File || !filepath.IsAbs(info.Path) || info.Library == "" || info.DurationS < 59 || len(info.Warnings) > 0 {
		t.Errorf("%+v", info)
	}
	for topic, want := range map[string]ChannelInfo{
		"/imu":            {MessageEncoding: "cdr", SchemaEncoding: "ros2msg", Decoder: "Ros2Decoder"},
		"/battery/status": {MessageEncoding: "json", SchemaEncoding: "jsonschema", Decoder: "JsonDecoder"},
		"/pose":           {MessageEncoding: "protobuf", SchemaEncoding: "protobuf", Decoder: "ProtobufDecoder"},
		"/log":            {MessageEncoding: "ros1", SchemaEncoding: "ros1msg", Decoder: "Ros1Decoder"},
	} {
		got := info.Channels[topic]
		if got.SchemaName == "" || got.MeanBytes <= 0 {
			t.Errorf("%s: %+v", topic, got)
		}
		want.SchemaName, want.MeanBytes = got.SchemaName, got.MeanBytes
		want.MessageCount, want.Channels = uint64(drive.Messages[topic]), 1
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", topic, diff)
		}
	}
	if info.Metadata["run"]["robot"] != "rover-7" || info.MetadataRecords != nil {
		t.Errorf("metadata %v, records %v", info.Metadata, info.MetadataRecords)
	}
	if len(info.Attachments) != 1 || info.Attachments[0].Name != "calibration.yaml" || info.Attachments[0].SizeBytes == 0 {
		t.Errorf("attachments %v", info.Attachments)
	}
}

func TestInfoKeepsMetadataRecordsOfOneName(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a.mcap"), nil,
		mcap.Metadata{Name: "run", Metadata: map[string]string{"robot": "r1", "x": "1"}}, mcap.Metadata{Name: "run", Metadata: map[string]string{"robot": "r2"}})
	info, err := openDeck(t, Options{Folders: []string{dir}}).RecordingInfo(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	want := []MetadataRecord{{"run", map[string]string{"robot": "r1", "x": "1"}}, {"run", map[string]string{"robot": "r2"}}}
	if diff := cmp.Diff(want, info.MetadataRecords); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if info.StartTime != "" || info.EndTime != "" || info.DurationS != 0 || info.TimeNote != "" {
		t.Errorf("a recording without messages has times: %+v", info)
	}
}

// Every tool that takes a file refuses the same names in the same way.
func TestFilesThatCannotBeHad(t *testing.T) {
	dir, outside := drives(t), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(dir, "notes.mcap"): "hello", filepath.Join(dir, "x", "twin.mcap"): "", filepath.Join(dir, "y", "twin.mcap"): "",
		filepath.Join(dir, "cut.mcap"): "\x89MCAP0\r\n\x01\x00", filepath.Join(outside, "secret.mcap"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := openDeck(t, Options{Folders: []string{dir}, Recursive: true, Confined: true})
	load(t, d, LoadRequest{File: "drive_01"})
	calls := map[string]func(file string) error{
		"info":   func(file string) error { _, err := d.RecordingInfo(t.Context(), file); return err },
		"schema": func(file string) error { _, err := d.Schema(t.Context(), file, ""); return err },
		"load": func(file string) error {
			_, err := d.Load(t.Context(), LoadRequest{File: file}, nil)
			return err
		},
	}
	for name, call := range calls {
		for file, test := range map[string]struct {
			code  string
			words []string
		}{
			"":                                     {CodeFileNotFound, []string{"empty", "list_recordings"}},
			"drive_1.mcap":                         {CodeFileNotFound, []string{"drive_01.mcap", "list_recordings"}},
			"twin":                                 {CodeFileAmbiguous, []string{"x/twin.mcap", "y/twin.mcap", "candidates"}},
			"notes":                                {CodeNotRecording, []string{"it is text", "hello"}},
			"cut":                                  {CodeFileUnreadable, nil},
			"x":                                    {CodeNotRecording, []string{"it is a folder", "twin.mcap"}},
			filepath.Join(outside, "secret.mcap"):  {CodeFileForbidden, []string{"outside of the data folders", "list_recordings"}},
			filepath.Join(outside, "nothing.mcap"): {CodeFileForbidden, []string{"outside of the data folders"}},
			"../secret.mcap":                       {CodeFileForbidden, []string{"outside of the data folders"}},
			"/dev/zero":                            {CodeFileForbidden, []string{"outside of the data folders"}},
			strings.Repeat("n", 5000):              {CodeFileNotFound, []string{"5000 bytes"}},
		} {
			unchanged(t, d, name, func() { wantError(t, name+" of "+file[:min(len(file), 40)], call(file), test.code, test.words...) })
		}
	}
	if loads, making := onDisk(t, d); loads != 1 || making != 0 {
		t.Errorf("the cache holds %d loads and %d in the making", loads, making)
	}
}

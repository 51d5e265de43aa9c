package deck

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/sample"
)

func files(list *RecordingList) []string {
	names := []string{}
	for _, r := range list.Recordings {
		names = append(names, r.File)
	}
	return names
}

func TestListRefusesWhatItCannotRead(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}, Confined: true})
	for what, test := range map[string]struct {
		request ListRequest
		code    string
		says    string
	}{
		"a bad time":            {ListRequest{After: "yesterday"}, CodeBadTime, `after "yesterday"`},
		"a number for a time":   {ListRequest{Before: "1714564800000000"}, CodeBadTime, "ISO 8601"},
		"a negative offset":     {ListRequest{Offset: -1}, CodeBadArgument, "-1"},
		"a negative limit":      {ListRequest{Limit: -5}, CodeBadArgument, "-5"},
		"a folder that is not":  {ListRequest{Path: "nowhere"}, CodeFileNotFound, "nowhere"},
		"a folder outside":      {ListRequest{Path: "/etc"}, CodeFileForbidden, "outside of the data folders"},
		"the folder above":      {ListRequest{Path: ".."}, CodeFileForbidden, "outside of the data folders"},
		"a folder by its links": {ListRequest{Path: "./x/../../.."}, CodeFileForbidden, "outside of the data folders"},
	} {
		_, err := d.ListRecordings(t.Context(), test.request, nil)
		wantError(t, what, err, test.code, test.says)
	}
	_, err := d.ListRecordings(t.Context(), ListRequest{After: "yesterday"}, nil)
	if hint := failure(t, err).Hint; strings.Contains(hint, "microseconds") {
		t.Errorf("the hint offers what is not taken: %s", hint)
	}
}

func TestListIsCancelled(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.ListRecordings(ctx, ListRequest{}, nil)
	wantError(t, "a cancelled list", err, CodeCancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

func TestListTellsProblemsAmongGoodRecordings(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("as root every folder can be read: only files are tried")
	}
	dir := drives(t)
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"notes.mcap": "shopping list", "empty.mcap": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := openDeck(t, Options{Folders: []string{dir, filepath.Join(dir, "gone")}, Recursive: true})
	list, err := d.ListRecordings(t.Context(), ListRequest{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"drive_01.mcap", "drive_02.mcap", "drive_03.mcap"}, files(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	problems := map[string]string{}
	for _, p := range list.Problems {
		problems[filepath.Base(p.Path)] = p.Reason
	}
	want := map[string]string{"notes.mcap": "shopping list", "empty.mcap": "empty", "gone": "does not exist"}
	if os.Getuid() != 0 {
		want["locked"] = "permission"
	}
	for name, says := range want {
		if !strings.Contains(problems[name], says) {
			t.Errorf("%s: %q, want %q", name, problems[name], says)
		}
	}
	if len(problems) != len(want) {
		t.Errorf("problems %v", problems)
	}
}

func TestListSummarises(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	list, err := d.ListRecordings(t.Context(), ListRequest{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	drive := sample.Drives()[0]
	var channels []ChannelSummary
	total := uint64(0)
	for topic, schema := range map[string]string{"/battery/status": "BatteryStatus", "/imu": "sensor_msgs/msg/Imu", "/log": "rosgraph_msgs/Log", "/pose": ""} {
		n := uint64(drive.Messages[topic])
		total += n
		channels = append(channels, ChannelSummary{Topic: topic, Schema: schema, MessageCount: n})
	}
	got := list.Recordings[0]
	if len(got.Channels) != len(channels) || got.MessageCount != total {
		t.Errorf("%d channels, %d messages; want %d and %d", len(got.Channels), got.MessageCount, len(channels), total)
	}
	for _, c := range got.Channels {
		if c.Schema == "" || c.MessageCount != uint64(drive.Messages[c.Topic]) {
			t.Errorf("%+v, want %d messages and a schema", c, drive.Messages[c.Topic])
		}
	}
	if got.File != drive.File || !filepath.IsAbs(got.Path) || got.SizeMB <= 0 || !strings.HasPrefix(got.StartTime, "2025-06-03T09:00:0") ||
		got.DurationS < 59 || got.DurationS > 61 || got.TimeNote != "" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"run", "software"}, got.MetadataKeys); diff != "" {
		t.Errorf("metadata keys (-want +got):\n%s", diff)
	}
	if list.Total != 3 || len(list.Recordings) != 3 {
		t.Errorf("%d of %d recordings", len(list.Recordings), list.Total)
	}
}

func TestListFiltersByTimeAndPages(t *testing.T) {
	dir := drives(t)
	record(t, filepath.Join(dir, "silent.mcap"), nil)
	d := openDeck(t, Options{Folders: []string{dir}})
	all := []string{"silent.mcap", "drive_01.mcap", "drive_02.mcap", "drive_03.mcap"} // without messages there is no time: first
	for what, test := range map[string]struct {
		request ListRequest
		want    []string
	}{
		"no bounds":                {ListRequest{}, all},
		"after":                    {ListRequest{After: "2025-06-03T10:00:00Z"}, all[2:]},
		"after, within a drive":    {ListRequest{After: "2025-06-03T10:30:30Z"}, all[2:]},
		"before":                   {ListRequest{Before: "2025-06-03T12:00:00+02:00"}, all[1:2]},
		"both":                     {ListRequest{After: "2025-06-03T10:00Z", Before: "2025-06-03 11:00"}, all[2:3]},
		"a day without recordings": {ListRequest{After: "2025-06-04"}, []string{}},
		"second page":              {ListRequest{Offset: 2, Limit: 1}, all[2:3]},
		"past the end":             {ListRequest{Offset: 9}, []string{}},
		"one file":                 {ListRequest{Path: "drive_02.mcap"}, all[2:3]},
	} {
		list, err := d.ListRecordings(t.Context(), test.request, nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if diff := cmp.Diff(test.want, files(list)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// A robot without a set clock counts from its start.
func TestListNotesTimesSinceBoot(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "boot.mcap"), samples("/a", 2500))
	list, err := openDeck(t, Options{Folders: []string{dir}}).ListRecordings(t.Context(), ListRequest{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if note := list.Recordings[0].TimeNote; !strings.Contains(note, "robot's start (1.000 s to 3.499 s)") {
		t.Errorf("note %q", note)
	}
	if start := list.Recordings[0].StartTime; start != "1970-01-01T00:00:01.000+00:00" {
		t.Errorf("start %s", start)
	}
}

// An empty library answers with empty lists, not with null.
func TestListOfNothingIsAnEmptyList(t *testing.T) {
	list, err := openDeck(t, Options{}).ListRecordings(t.Context(), ListRequest{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(list); err != nil || string(text) != `{"recordings":[],"total":0}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestListTellsProgress(t *testing.T) {
	var last [2]uint64
	_, err := openDeck(t, Options{Folders: []string{drives(t)}}).ListRecordings(t.Context(), ListRequest{}, func(done, total uint64, _ string) { last = [2]uint64{done, total} })
	if err != nil || last != [2]uint64{3, 3} {
		t.Errorf("progress ended at %v, error %v", last, err)
	}
}

// A folder of anything else must not make a list slow.
func TestListPassesOverOtherFiles(t *testing.T) {
	dir := drives(t)
	for i := range 5000 {
		if err := os.WriteFile(filepath.Join(dir, "frame_"+time.Duration(i).String()+".png"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := openDeck(t, Options{Folders: []string{dir}, Recursive: true}).ListRecordings(t.Context(), ListRequest{}, nil)
	if err != nil || len(list.Recordings) != 3 || len(list.Problems) != 0 {
		t.Errorf("%d recordings, %d problems, error %v", len(list.Recordings), len(list.Problems), err)
	}
}

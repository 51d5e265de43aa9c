package mcpserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
	"tapedeck/internal/recording"
)

// library makes a list of n recordings with channels each.
func library(n, channels int) *deck.RecordingList {
	l := &deck.RecordingList{Total: n}
	for i := range n {
		r := deck.RecordingSummary{
			File:      fmt.Sprintf("site_a/robot_07_2024-06-%02d_run_%03d.mcap", i%30+1, i),
			Path:      fmt.Sprintf("/data/recordings/site_a/robot_07_2024-06-%02d_run_%03d.mcap", i%30+1, i),
			SizeMB:    512.3,
			StartTime: "2024-06-01T08:00:00.123+00:00", EndTime: "2024-06-01T08:10:00.456+00:00", DurationS: 600.3,
			MessageCount: 1234567, MetadataKeys: []string{"robot", "operator", "software"},
		}
		for c := range channels {
			r.Channels = append(r.Channels, deck.ChannelSummary{
				Topic: fmt.Sprintf("/robot/sensors/channel_%02d/data", c), MessageCount: 60000, Schema: "sensor_msgs/msg/PointCloud2",
			})
		}
		l.Recordings = append(l.Recordings, r)
	}
	return l
}

// listText is the length of all that list_recordings says of a list.
func listText(t *testing.T, l *deck.RecordingList) int {
	t.Helper()
	return size(l.Recordings) + len(l.Note)
}

func TestFitRecordingsKeepsShortListsWhole(t *testing.T) {
	found := library(3, 4)
	shown := fitRecordings(found, 0, defaultMaxAnswerBytes)
	if diff := cmp.Diff(found, shown); diff != "" {
		t.Errorf("(-found +shown):\n%s", diff)
	}
}

func TestFitRecordingsShowsAHundredOfThirtyChannels(t *testing.T) {
	found := library(100, 30)
	before := library(100, 30)
	shown := fitRecordings(found, 0, defaultMaxAnswerBytes)
	if n := listText(t, shown); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	if len(shown.Recordings) != 100 {
		t.Errorf("%d recordings shown, want all 100 with fewer channels", len(shown.Recordings))
	}
	for _, r := range shown.Recordings {
		if len(r.Channels) < fewestChannels || len(r.Channels)+r.ChannelsOmitted != 30 {
			t.Fatalf("%s: %d channels and %d omitted of 30", r.File, len(r.Channels), r.ChannelsOmitted)
		}
	}
	if !strings.Contains(shown.Note, "get_recording_info") {
		t.Errorf("note %q does not say how to get the channels", shown.Note)
	}
	if diff := cmp.Diff(before, found); diff != "" {
		t.Errorf("the deck's own result was changed:\n%s", diff)
	}
}

func TestFitRecordingsPagesLongLists(t *testing.T) {
	found := library(600, 30)
	seen := map[string]bool{}
	for offset, pages := 0, 0; ; pages++ {
		page := *found
		page.Recordings = found.Recordings[offset:]
		shown := fitRecordings(&page, offset, defaultMaxAnswerBytes)
		if n := listText(t, shown); n > defaultMaxAnswerBytes {
			t.Fatalf("page at %d has %d bytes", offset, n)
		}
		for _, r := range shown.Recordings {
			seen[r.File] = true
		}
		if shown.NextOffset == 0 {
			break
		}
		if !strings.Contains(shown.Note, fmt.Sprintf("offset=%d", shown.NextOffset)) {
			t.Fatalf("note %q does not say where to go on", shown.Note)
		}
		if offset = shown.NextOffset; pages > 50 {
			t.Fatal("paging does not end")
		}
	}
	if len(seen) != len(found.Recordings) {
		t.Errorf("%d of %d recordings seen over all pages", len(seen), len(found.Recordings))
	}
}

func TestFitRecordingsSaysThatACallersPageIsNotAll(t *testing.T) {
	found := library(10, 1)
	found.Recordings = found.Recordings[2:5]
	shown := fitRecordings(found, 2, defaultMaxAnswerBytes)
	if shown.NextOffset != 5 || !strings.Contains(shown.Note, "3 of 10") {
		t.Errorf("next_offset %d, note %q", shown.NextOffset, shown.Note)
	}
}

func TestFitRecordingsExplainsNothing(t *testing.T) {
	if shown := fitRecordings(&deck.RecordingList{}, 0, 1000); !strings.Contains(shown.Note, "No recording found") {
		t.Errorf("note %q", shown.Note)
	}
	if shown := fitRecordings(&deck.RecordingList{Total: 7}, 10, 1000); !strings.Contains(shown.Note, "past the last of 7") {
		t.Errorf("note %q", shown.Note)
	}
	found := &deck.RecordingList{}
	for i := range 100 {
		found.Problems = append(found.Problems, deck.Problem{Path: fmt.Sprintf("/data/%d.mcap", i), Reason: strings.Repeat("x", 5000)})
	}
	shown := fitRecordings(found, 0, defaultMaxAnswerBytes)
	if len(shown.Problems)+shown.ProblemsOmitted != 100 || len(shown.Problems) != mostProblems {
		t.Errorf("%d problems and %d omitted", len(shown.Problems), shown.ProblemsOmitted)
	}
	if !strings.Contains(shown.Note, "100 entries") || len(shown.Note) > noteRoom {
		t.Errorf("note of %d bytes: %.300s", len(shown.Note), shown.Note)
	}
}

// A file may claim thousands of channels and metadata keys of any length.
func TestFitRecordingsBoundsOneHugeRecording(t *testing.T) {
	found := library(2, 0)
	for i := range 500 {
		r := &found.Recordings[i%2]
		r.Channels = append(r.Channels, deck.ChannelSummary{Topic: strings.Repeat("long", 3000)})
		r.MetadataKeys = append(r.MetadataKeys, fmt.Sprint("key", i))
	}
	shown := fitRecordings(found, 0, defaultMaxAnswerBytes)
	if n := listText(t, shown); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	r := shown.Recordings[0]
	if len(r.Channels)+r.ChannelsOmitted != 250 || len(r.MetadataKeys)+r.MetadataKeysOmitted != 253 {
		t.Errorf("what is shown and left out does not add up: %d channels omitted, %d keys omitted", r.ChannelsOmitted, r.MetadataKeysOmitted)
	}
}

// schema makes a schema of topics with fields each, and up to nine more.
func schema(topics, fields int) *deck.RecordingSchema {
	s := &deck.RecordingSchema{File: "run.mcap", Topics: map[string]deck.TopicSchema{}, MetadataTable: "_metadata", SQLHint: "join"}
	for i := range topics {
		t := deck.TopicSchema{
			TableName: fmt.Sprintf("robot_sensors_%03d", i), MessageCount: 1000,
			SchemaName: "sensor_msgs/msg/Imu", MessageEncoding: "cdr", Fields: []deck.Field{},
		}
		for f := range fields + i%10 {
			t.Fields = append(t.Fields, deck.Field{
				Name: fmt.Sprintf("linear_acceleration_covariance_%d", f), Type: "DOUBLE", Description: "metres a second squared, along the axis",
			})
		}
		s.Topics[fmt.Sprintf("/robot/sensors_%03d", i)] = t
	}
	return s
}

func TestFitSchema(t *testing.T) {
	for _, tc := range []struct {
		name           string
		topics, fields int
		says           []string
		descriptions   bool
		whole          int // topics with all their fields, at least
	}{
		{"short stays whole", 3, 5, nil, true, 3},
		{"thirty channels lose descriptions only", 30, 20, []string{"descriptions are left out", "topic=NAME"}, false, 30},
		{"some topics lose their fields", 100, 30, []string{"fields_omitted", "topic=NAME"}, false, 20},
		{"topics are only named", 3000, 5, []string{"topics are left out", "topic=NAME"}, false, 0},
		{"one topic too long", 1, 5000, []string{"DESCRIBE"}, false, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, before := schema(tc.topics, tc.fields), schema(tc.topics, tc.fields)
			shown := fitSchema(found, defaultMaxAnswerBytes)
			if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes {
				t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
			}
			if diff := cmp.Diff(before, found); diff != "" {
				t.Errorf("the deck's own result was changed:\n%s", diff)
			}
			for _, want := range tc.says {
				if !strings.Contains(shown.Note, want) {
					t.Errorf("note %q lacks %q", shown.Note, want)
				}
			}
			if tc.says == nil && shown.Note != "" {
				t.Errorf("note %q, want none", shown.Note)
			}
			whole := 0
			for topic, got := range shown.Topics {
				want := found.Topics[topic]
				if got.TableName != want.TableName || got.MessageCount != want.MessageCount {
					t.Fatalf("%s lost its table or count: %+v", topic, got)
				}
				if len(got.Fields)+got.FieldsOmitted != len(want.Fields) {
					t.Fatalf("%s: %d fields and %d omitted of %d", topic, len(got.Fields), got.FieldsOmitted, len(want.Fields))
				}
				if got.FieldsOmitted == 0 {
					whole++
				}
				for _, f := range got.Fields {
					if (f.Description != "") != tc.descriptions {
						t.Fatalf("%s: description %q", topic, f.Description)
					}
				}
			}
			if whole < tc.whole {
				t.Errorf("%d topics are whole, want %d at least", whole, tc.whole)
			}
		})
	}
}

func TestFitSchemaNamesWhatIsLeftOut(t *testing.T) {
	found := schema(600, 1)
	shown := fitSchema(found, defaultMaxAnswerBytes)
	if len(shown.Topics)+len(shown.Omitted) != 600 {
		t.Errorf("%d topics and %d names, want 600 together", len(shown.Topics), len(shown.Omitted))
	}
	for _, name := range shown.Omitted {
		if _, both := shown.Topics[name]; both || found.Topics[name].TableName == "" {
			t.Fatalf("%s is omitted and shown, or no topic", name)
		}
	}
}

func TestFitSchemaSaysHowToGetTheRest(t *testing.T) {
	many, long, described := schema(5000, 1), schema(1, 5000), schema(1, 900)
	quoted := schema(1, 5000)
	const topic = "/robot/sensors_000"
	named := quoted.Topics[topic]
	named.SQLName = `"robot-sensors"`
	quoted.Topics[topic] = named
	skipping := schema(1, 1)
	for i := range 3000 {
		skipping.SkippedTopics = append(skipping.SkippedTopics, deck.SkippedTopic{Topic: fmt.Sprint("/t", i), Reason: "no decoder"})
	}
	for _, tc := range []struct {
		name      string
		found     *deck.RecordingSchema
		says, not string
	}{
		{"topics that are not even named", many, "After load_recording, query FROM (SHOW TABLES)", "DESCRIBE"},
		{"columns of one table", long, "SELECT column_name, column_type FROM (DESCRIBE robot_sensors_000) OFFSET %d", "topic=NAME"},
		{"columns of one table with a quoted name", quoted, `FROM (DESCRIBE "robot-sensors") OFFSET %d`, "topic=NAME"},
		{"descriptions of one topic", described, "descriptions are left out", "topic=NAME"},
		{"skipped topics", skipping, "skipped_topics shows %d of 3000", "left out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shown := fitSchema(tc.found, defaultMaxAnswerBytes)
			if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes {
				t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
			}
			want := tc.says
			switch {
			case strings.Contains(want, "skipped_topics"):
				want = fmt.Sprintf(want, len(shown.SkippedTopics))
			case strings.Contains(want, "%d"):
				want = fmt.Sprintf(want, len(shown.Topics[topic].Fields))
			}
			if !strings.Contains(shown.Note, want) || strings.Contains(shown.Note, tc.not) {
				t.Errorf("note %q, want %q and not %q", shown.Note, want, tc.not)
			}
		})
	}
}

// Names are short: rather all of them, and the tables of fewer topics.
func TestFitSchemaNamesAllTopicsBeforeItShowsTheirTables(t *testing.T) {
	shown := fitSchema(schema(1500, 1), defaultMaxAnswerBytes)
	if len(shown.Topics) == 0 || len(shown.Topics)+len(shown.Omitted) != 1500 {
		t.Errorf("%d topics and %d names, want 1500 together", len(shown.Topics), len(shown.Omitted))
	}
}

// Whatever a file holds, the text stays within its bound.
func TestFitBoundsAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return strings.Repeat("wörd<", random.IntN(1<<random.IntN(11))) }
	for range 100 {
		s := &deck.RecordingSchema{File: "run.mcap", Topics: map[string]deck.TopicSchema{}}
		l := &deck.RecordingList{}
		i := &deck.RecordingInfo{Channels: map[string]deck.ChannelInfo{}, Metadata: map[string]map[string]string{}}
		for range random.IntN(1 << random.IntN(9)) {
			topic := deck.TopicSchema{TableName: "t", Warnings: []string{word(), word()}}
			r := deck.RecordingSummary{File: "run.mcap"}
			for range random.IntN(1 << random.IntN(7)) {
				topic.Fields = append(topic.Fields, deck.Field{Name: word(), Type: "STRUCT", Description: word()})
				r.Channels = append(r.Channels, deck.ChannelSummary{Topic: word()})
			}
			s.Topics[word()+fmt.Sprint(len(s.Topics))] = topic
			s.SkippedTopics = append(s.SkippedTopics, deck.SkippedTopic{Topic: word(), Reason: word()})
			l.Recordings = append(l.Recordings, r)
			values := map[string]string{word(): word(), word(): word()}
			i.Channels[word()], i.Metadata[word()] = deck.ChannelInfo{SchemaName: word()}, values
			i.MetadataRecords = append(i.MetadataRecords, deck.MetadataRecord{Name: word(), Values: values})
			i.Attachments = append(i.Attachments, deck.AttachmentInfo{Name: word()})
			i.Warnings = append(i.Warnings, recording.Warning{Text: word()})
			i.Compression = append(i.Compression, word())
		}
		const room = 20_000
		if shown := fitSchema(s, room); size(shown)+len(shown.Note) > room {
			t.Fatalf("a schema takes %d bytes, want at most %d", size(shown)+len(shown.Note), room)
		}
		if shown := fitInfo(i, room); size(shown)+len(shown.Note) > room {
			t.Fatalf("a description takes %d bytes, want at most %d", size(shown)+len(shown.Note), room)
		}
		if shown := fitRecordings(l, 0, room); listText(t, shown) > room {
			t.Fatalf("a list takes %d bytes, want at most %d", listText(t, shown), room)
		}
	}
}

func TestFitInfoCutsLongMetadata(t *testing.T) {
	found := &deck.RecordingInfo{
		File:     "run.mcap",
		Metadata: map[string]map[string]string{"robot": {"urdf": strings.Repeat("<link/>", 100_000), "name": "r7"}},
		Channels: map[string]deck.ChannelInfo{"/imu": {MessageCount: 5}},
	}
	shown := fitInfo(found, defaultMaxAnswerBytes)
	if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	robot := shown.Metadata["robot"]
	if robot["name"] != "r7" || !strings.HasSuffix(robot["urdf"], "…") || shown.Channels["/imu"].MessageCount != 5 {
		t.Errorf("kept %v, channels %v", robot, shown.Channels)
	}
	if !strings.Contains(shown.Note, "_metadata") || len(found.Metadata["robot"]["urdf"]) != 700_000 {
		t.Errorf("note %q, or the deck's own result was changed", shown.Note)
	}
}

// Records of one name are merged in metadata and listed one by one beside it.
func TestFitInfoBoundsRepeatedMetadata(t *testing.T) {
	found := &deck.RecordingInfo{File: "run.mcap", Metadata: map[string]map[string]string{"run": {}, "short": {"robot": "r7"}}}
	for i := range 2000 {
		values := map[string]string{fmt.Sprint("key", i): strings.Repeat("v", 500)}
		found.MetadataRecords = append(found.MetadataRecords, deck.MetadataRecord{Name: "run", Values: values})
		maps.Copy(found.Metadata["run"], values)
		found.Compression = append(found.Compression, fmt.Sprint("codec", i))
	}
	shown := fitInfo(found, defaultMaxAnswerBytes)
	if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	if len(shown.MetadataRecords) < 200 || len(shown.Metadata["short"]) != 1 {
		t.Errorf("%d records shown, metadata %v: room is wasted, or a long record hides the others", len(shown.MetadataRecords), shown.Metadata)
	}
	want := fmt.Sprintf("metadata_records shows %d of 2000", len(shown.MetadataRecords))
	if !strings.Contains(shown.Note, want) || !strings.Contains(shown.Note, "metadata shows 1 of 2") || !strings.Contains(shown.Note, "_metadata") {
		t.Errorf("note %q", shown.Note)
	}
	if strings.Contains(shown.Note, "get_schema") {
		t.Errorf("note %q tells how to get channels, of which none are left out", shown.Note)
	}
}

func TestFitInfoSaysThatWordsAreCut(t *testing.T) {
	long := strings.Repeat("w", defaultMaxAnswerBytes)
	shown := fitInfo(&deck.RecordingInfo{Library: long, Profile: long}, defaultMaxAnswerBytes)
	if want := "Too long for one answer: library and profile end at 200 bytes."; shown.Note != want {
		t.Errorf("note %q, want %q", shown.Note, want)
	}
}

// What little else a recording says leaves its room to the channels.
func TestFitInfoFillsTheRoomWithChannels(t *testing.T) {
	found := &deck.RecordingInfo{File: "run.mcap", Channels: map[string]deck.ChannelInfo{}}
	for i := range 1000 {
		found.Channels[fmt.Sprintf("/robot/sensors_%03d", i)] = deck.ChannelInfo{SchemaName: "sensor_msgs/msg/Imu", MessageEncoding: "cdr"}
	}
	shown := fitInfo(found, defaultMaxAnswerBytes)
	if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes || n < defaultMaxAnswerBytes*9/10 {
		t.Errorf("%d bytes, want little less than %d", n, defaultMaxAnswerBytes)
	}
	want := fmt.Sprintf("channels shows %d of 1000", len(shown.Channels))
	if !strings.Contains(shown.Note, want) || !strings.Contains(shown.Note, "get_schema") {
		t.Errorf("note %q lacks %q or how to get the rest", shown.Note, want)
	}
	if strings.Contains(shown.Note, "metadata") {
		t.Errorf("note %q speaks of metadata, of which there is none", shown.Note)
	}
}

func TestFitLoadCutsTables(t *testing.T) {
	made := &deck.LoadResult{Status: "loaded", Tables: map[string]deck.LoadedTable{}, TotalRows: 99}
	for i := range 5000 {
		made.Tables[fmt.Sprintf("table_%04d", i)] = deck.LoadedTable{Rows: 1, Columns: 2}
		made.Skipped = append(made.Skipped, deck.SkippedTopic{Topic: fmt.Sprint("/t", i), Reason: "no decoder"})
	}
	shown := fitLoad(made, defaultMaxAnswerBytes)
	if n := size(shown) + len(shown.Note); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	if len(shown.Tables) < 100 || shown.TotalRows != 99 || !strings.Contains(shown.Note, "SHOW TABLES") {
		t.Errorf("%d tables, %d rows, note %q", len(shown.Tables), shown.TotalRows, shown.Note)
	}
}

func TestFitLoadSaysWhichListsAreCut(t *testing.T) {
	made := &deck.LoadResult{Status: "loaded", Tables: map[string]deck.LoadedTable{"imu": {Rows: 1, Columns: 2}}}
	for i := range 20_000 {
		made.SkippedTopics = append(made.SkippedTopics, fmt.Sprint("/t", i))
	}
	shown := fitLoad(made, defaultMaxAnswerBytes)
	want := fmt.Sprintf("skipped_topics shows %d of 20000", len(shown.SkippedTopics))
	if !strings.Contains(shown.Note, want) || strings.Contains(shown.Note, "tables") {
		t.Errorf("note %q, want %q and nothing of tables, which are whole", shown.Note, want)
	}
}

func TestFitErrorCutsListsAndWords(t *testing.T) {
	failed := &deck.Error{Code: deck.CodeMissingTable, Message: strings.Repeat("SELECT ", 50_000), Hint: "load it"}
	for i := range 20_000 {
		failed.LoadedTables = append(failed.LoadedTables, fmt.Sprint("table_", i))
	}
	shown := fitError(failed, defaultMaxAnswerBytes)
	if n := size(shown); n > defaultMaxAnswerBytes {
		t.Errorf("%d bytes, want at most %d", n, defaultMaxAnswerBytes)
	}
	if want := fmt.Sprintf("; loaded_tables shows %d of 20000", len(shown.LoadedTables)); !strings.HasPrefix(shown.Hint, "load it"+want) {
		t.Errorf("hint %q lacks %q", shown.Hint, want)
	}
	if shown.Code != failed.Code || len(shown.LoadedTables) < 100 || len(failed.LoadedTables) != 20_000 {
		t.Errorf("%d tables shown, hint %q", len(shown.LoadedTables), shown.Hint)
	}
}

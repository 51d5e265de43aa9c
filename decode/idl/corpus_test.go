package idl

import (
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/internal/corpustest"
)

// topic is what a recording holds of one topic.
type topic struct {
	schema   decode.Schema
	encoding string
	messages [][]byte
}

func readTopics(t *testing.T, path string) map[string]*topic {
	t.Helper()
	topics := map[string]*topic{}
	for m := range decodetest.Messages(t, path) {
		if topics[m.Topic] == nil {
			topics[m.Topic] = &topic{schema: m.Schema, encoding: m.Encoding}
		}
		topics[m.Topic].messages = append(topics[m.Topic].messages, m.Data)
	}
	return topics
}

func (c *topic) rows(t *testing.T) []decodetest.Row {
	t.Helper()
	for _, d := range []decode.Decoder{ROS2(), OMG()} {
		if !d.Claims(c.encoding, c.schema.Encoding) {
			continue
		}
		plan, err := d.Compile(c.schema, decode.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.schema.Name, err)
		}
		rows, err := decodetest.Decode(plan, c.messages...)
		if err != nil {
			t.Errorf("%s: %v", c.schema.Name, err)
		}
		return rows
	}
	t.Fatalf("no decoder claims %s/%s", c.encoding, c.schema.Encoding)
	return nil
}

// expectedOMG returns the recordings that hold omgidl, with their topics of it.
func expectedOMG(t *testing.T) map[string]map[string]corpustest.Topic {
	t.Helper()
	files := map[string]map[string]corpustest.Topic{}
	for _, file := range corpustest.Expected(t) {
		maps.DeleteFunc(file.Topics, func(_ string, topic corpustest.Topic) bool { return topic.SchemaEncoding != "omgidl" })
		if len(file.Topics) > 0 {
			files[file.File] = file.Topics
		}
	}
	return files
}

func TestRecordingsOfDDSGiveTheReferencesSums(t *testing.T) {
	files := expectedOMG(t)
	if len(files) < 9 {
		t.Fatalf("the corpus has %d recordings with omgidl, too few to mean anything", len(files))
	}
	for file, expected := range files {
		topics := readTopics(t, corpustest.Recording(t, file))
		for name, want := range expected {
			rows := topics[name].rows(t)
			if uint64(len(rows)) != want.Count {
				t.Errorf("%s %s: %d rows, want %d", file, name, len(rows), want.Count)
			}
			got := map[string]corpustest.Leaf{}
			for _, row := range rows {
				for column, v := range row {
					l := got[column]
					l.Kind, l.N, l.Sum = want.Leaves[column].Kind, l.N+1, l.Sum+corpustest.Weight(v)
					got[column] = l
				}
			}
			if diff := cmp.Diff(want.Leaves, got, cmp.Comparer(closeTo)); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", file, name, diff)
			}
		}
	}
}

func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func TestCraftedRecordings(t *testing.T) {
	cov := []any{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}
	for file, want := range map[string]map[string]decodetest.Row{
		"ros2idl/PointStamped.mcap": {"/p": {
			"header_stamp": int64(10_000_000_020), "header_frame_id": "map", "point_x": 1.0, "point_y": 2.0, "point_z": 3.0,
		}},
		"ros2idl/enum_typedef.mcap": {"/mix": {
			"c": "BLUE", "cov": cov, "blob": []byte{1, 2, 3}, "flag": true, "big": int64(1) << 40,
			"items": []any{decodetest.Row{"id": int32(5), "name": "in"}},
		}},
		// The optional member is written as XCDR2 does, behind the header of XCDR1.
		"ros2idl/optional_member.mcap": {"/opt": {"a": int32(1), "maybe": int32(2), "w": "Z"}},
		"omgidl/Sample.mcap":           {"HelloTopic": {"index": uint32(1), "message": "hi"}},
	} {
		for name, topic := range readTopics(t, corpustest.Recording(t, "crafted/"+file)) {
			if diff := cmp.Diff([]decodetest.Row{want[name]}, topic.rows(t)); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", file, name, diff)
			}
		}
	}
}

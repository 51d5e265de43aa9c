package idl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
)

// recordings is where the corpus lies, seen from this folder.
const recordings = "../../../shared/corpus/mcap"

// topic is what a recording holds of one topic.
type topic struct {
	schema   *mcap.Schema
	encoding string
	messages [][]byte
}

func readTopics(t *testing.T, path string) map[string]*topic {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := mcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	it, err := r.Messages()
	if err != nil {
		t.Fatal(err)
	}
	topics := map[string]*topic{}
	for {
		schema, channel, message, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return topics
		}
		if err != nil {
			t.Fatal(err)
		}
		if topics[channel.Topic] == nil {
			topics[channel.Topic] = &topic{schema: schema, encoding: channel.MessageEncoding}
		}
		topics[channel.Topic].messages = append(topics[channel.Topic].messages, bytes.Clone(message.Data))
	}
}

func (c *topic) rows(t *testing.T) []cdrtest.Row {
	t.Helper()
	for _, d := range []decode.Decoder{ROS2(), OMG()} {
		if !d.Claims(c.encoding, c.schema.Encoding) {
			continue
		}
		plan, err := d.Compile(decode.Schema{Name: c.schema.Name, Encoding: c.schema.Encoding, Data: c.schema.Data}, decode.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.schema.Name, err)
		}
		rows, err := cdrtest.Decode(plan, c.messages...)
		if err != nil {
			t.Errorf("%s: %v", c.schema.Name, err)
		}
		return rows
	}
	t.Fatalf("no decoder claims %s/%s", c.encoding, c.schema.Encoding)
	return nil
}

type leaf struct {
	Kind string
	N    int
	Sum  float64
}

type expectedTopic struct {
	Encoding, SchemaEncoding string
	Count                    int
	Leaves                   map[string]leaf
}

// expectedOMG returns the recordings that hold omgidl, with the reference's facts.
func expectedOMG(t *testing.T) map[string]map[string]expectedTopic {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, "EXPECTED.jsonl"))
	if err != nil {
		t.Skip("the corpus of recordings is not there: ", err)
	}
	files := map[string]map[string]expectedTopic{}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var file struct {
			File   string
			Topics map[string]expectedTopic
		}
		if err := json.Unmarshal(line, &file); err != nil {
			t.Fatal(err)
		}
		for name, topic := range file.Topics {
			if topic.SchemaEncoding != "omgidl" {
				delete(file.Topics, name)
			}
		}
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
		topics := readTopics(t, filepath.Join(recordings, file))
		for name, want := range expected {
			rows := topics[name].rows(t)
			if len(rows) != want.Count {
				t.Errorf("%s %s: %d rows, want %d", file, name, len(rows), want.Count)
			}
			got := map[string]leaf{}
			for _, row := range rows {
				for column, v := range row {
					l := got[column]
					l.Kind, l.N, l.Sum = want.Leaves[column].Kind, l.N+1, l.Sum+weight(v)
					got[column] = l
				}
			}
			if diff := cmp.Diff(want.Leaves, got, cmp.Comparer(closeTo)); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", file, name, diff)
			}
		}
	}
}

// weight is what the reference adds up: the number, or the length of anything else.
func weight(v any) float64 {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int())
	case r.CanUint():
		return float64(r.Uint())
	case r.CanFloat():
		return r.Float()
	default:
		return float64(r.Len())
	}
}

func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func TestCraftedRecordings(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skip("the corpus of recordings is not there: ", err)
	}
	cov := []any{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}
	for file, want := range map[string]map[string]cdrtest.Row{
		"ros2idl/PointStamped.mcap": {"/p": {
			"header_stamp": int64(10_000_000_020), "header_frame_id": "map", "point_x": 1.0, "point_y": 2.0, "point_z": 3.0,
		}},
		"ros2idl/enum_typedef.mcap": {"/mix": {
			"c": "BLUE", "cov": cov, "blob": []byte{1, 2, 3}, "flag": true, "big": int64(1) << 40,
			"items": []any{cdrtest.Row{"id": int32(5), "name": "in"}},
		}},
		// The optional member is written as XCDR2 does, behind the header of XCDR1.
		"ros2idl/optional_member.mcap": {"/opt": {"a": int32(1), "maybe": int32(2), "w": "Z"}},
		"omgidl/Sample.mcap":           {"HelloTopic": {"index": uint32(1), "message": "hi"}},
	} {
		for name, topic := range readTopics(t, filepath.Join(recordings, "crafted", file)) {
			if diff := cmp.Diff([]cdrtest.Row{want[name]}, topic.rows(t)); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", file, name, diff)
			}
		}
	}
}

package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func TestWriteIntoAFile(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "blocked")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if paths, err := Write(blocked); err == nil {
		t.Errorf("Write into a file = %q, want an error", paths)
	}
}

func TestWriteTwiceGivesTheSameBytes(t *testing.T) {
	first, second := writeAll(t), writeAll(t)
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs from call to call", name)
		}
		if len(data) >= 1<<20 {
			t.Errorf("%s takes %d bytes, want less than 1 MiB", name, len(data))
		}
	}
	if len(first) != len(Drives()) {
		t.Errorf("%d files for %d drives", len(first), len(Drives()))
	}
}

func TestDrivesTellTheTruth(t *testing.T) {
	files := writeAll(t)
	for _, d := range Drives() {
		t.Run(d.File, func(t *testing.T) {
			counts := map[string]int{}
			var last uint64
			eachMessage(t, files[d.File], func(c *mcap.Channel, m *mcap.Message) {
				counts[c.Topic]++
				if m.LogTime < last {
					t.Errorf("message %d of %s was logged before the one in front of it", m.Sequence, c.Topic)
				}
				last = m.LogTime
			})
			if diff := cmp.Diff(d.Messages, counts); diff != "" {
				t.Errorf("counts differ (-told +found):\n%s", diff)
			}
		})
	}
}

func TestLowVoltageIsInTheSecondDriveOnly(t *testing.T) {
	files := writeAll(t)
	for _, d := range Drives() {
		var first time.Time
		eachMessage(t, files[d.File], func(c *mcap.Channel, m *mcap.Message) {
			if c.Topic != "/battery/status" || !first.IsZero() {
				return
			}
			var status batteryStatus
			if err := json.Unmarshal(m.Data, &status); err != nil {
				t.Fatal(err)
			}
			if status.Voltage < 22 {
				first = time.Unix(0, int64(m.LogTime)).UTC()
			}
		})
		var want time.Time
		if d.File == "drive_02.mcap" {
			want = LowVoltage
		}
		if !first.Equal(want) {
			t.Errorf("%s: first below 22 V at %v, want %v", d.File, first, want)
		}
	}
}

// TestPosesKeepToTheirDescriptor reads them by protobuf's own code.
func TestPosesKeepToTheirDescriptor(t *testing.T) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(poseTopic.schema.Data, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	root, err := files.FindDescriptorByName("rover.PoseInFrame")
	if err != nil {
		t.Fatal(err)
	}
	drive := Drives()[1]
	messages := poseTopic.messages(&drive)
	for n, want := range map[int]string{0: "MODE_MANUAL", 200: "MODE_AUTONOMOUS", 1199: "MODE_STOPPED"} {
		pose := dynamicpb.NewMessage(root.(protoreflect.MessageDescriptor))
		if err := proto.Unmarshal(messages[n].data, pose); err != nil {
			t.Fatal(err)
		}
		if len(pose.GetUnknown()) > 0 {
			t.Errorf("message %d has fields that are not declared", n)
		}
		fields := pose.Descriptor().Fields()
		mode := fields.ByName("mode")
		if got := mode.Enum().Values().ByNumber(pose.Get(mode).Enum()); string(got.Name()) != want {
			t.Errorf("message %d: mode = %v, want %s", n, got.Name(), want)
		}
		if frame := pose.Get(fields.ByName("frame_id")).String(); frame != "map" {
			t.Errorf("message %d: frame_id = %q, want map", n, frame)
		}
	}
}

func writeAll(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := Write(filepath.Join(t.TempDir(), "new", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

// eachMessage reads a file in its own order.
func eachMessage(t *testing.T, file []byte, yield func(*mcap.Channel, *mcap.Message)) {
	t.Helper()
	reader, err := mcap.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	messages, err := reader.Messages(mcap.UsingIndex(false), mcap.InOrder(mcap.FileOrder))
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, channel, message, err := messages.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		yield(channel, message)
	}
}

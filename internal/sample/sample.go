// Package sample writes small recordings of a rover's test drives for the demo
// and for tests.
//
// # What it writes
//
// Three files, drive_01.mcap to drive_03.mcap, of one minute each and less than
// a megabyte. Each has four topics in four encodings: /imu in ROS 2 CDR,
// /battery/status in JSON with a JSON Schema, /pose in Protocol Buffers, /log in
// ROS 1. Each has metadata records and an attachment. The second drive has a
// fault: see [LowVoltage].
//
// # What it promises
//
// The same bytes on every call, and [Drives] as the truth about them. It is no
// general writer of recordings.
package sample

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

// Drive is what is true of one recording.
type Drive struct {
	File     string
	Start    time.Time
	Weather  string
	Messages map[string]int // by topic

	compression mcap.CompressionFormat
	sagAt       time.Duration // when the battery begins to give in; 0: never
	bumpAt      time.Duration // when a wheel hits a stone
}

// Length is how long every drive takes.
const Length = time.Minute

// LowVoltage is when /battery/status first tells less than 22 V in
// drive_02.mcap, by log time. In the other drives it never does.
var LowVoltage = day(10, 30).Add(41300*time.Millisecond + batteryDelay)

// Drives are the recordings that Write makes.
func Drives() []Drive {
	drives := []Drive{
		{File: "drive_01.mcap", Start: day(9, 0), Weather: "clear", compression: mcap.CompressionZSTD, bumpAt: 23700 * time.Millisecond},
		{File: "drive_02.mcap", Start: day(10, 30), Weather: "clear", compression: mcap.CompressionZSTD, sagAt: 40 * time.Second, bumpAt: 39 * time.Second},
		{File: "drive_03.mcap", Start: day(14, 15), Weather: "rain", compression: mcap.CompressionLZ4, bumpAt: 8200 * time.Millisecond},
	}
	for i := range drives {
		d := &drives[i]
		d.Messages = map[string]int{}
		for _, t := range topics {
			d.Messages[t.name] = len(t.messages(d))
		}
	}
	return drives
}

// Write makes the recordings in dir, which it creates, and returns their paths.
// A file of such a name that is there is overwritten.
func Write(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for sample recordings: %w", err)
	}
	var paths []string
	for _, d := range Drives() {
		var file bytes.Buffer
		if err := d.write(&file); err != nil {
			return paths, fmt.Errorf("composing %s: %w", d.File, err)
		}
		path := filepath.Join(dir, d.File)
		if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
			return paths, fmt.Errorf("writing a sample recording: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// topic is one topic in one encoding, the same in all drives.
type topic struct {
	name     string
	encoding string // of messages
	schema   mcap.Schema
	messages func(*Drive) []message
}

// message is one message, by the time since the drive began.
type message struct {
	published time.Duration
	delay     time.Duration // until it was logged
	data      []byte
}

var topics = []topic{imuTopic, batteryTopic, poseTopic, logTopic}

func (d *Drive) write(out io.Writer) error {
	w, err := mcap.NewWriter(out, &mcap.WriterOptions{
		Chunked: true, ChunkSize: 256 << 10, Compression: d.compression, IncludeCRC: true,
	})
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&mcap.Header{Library: "tapedeck demo-data"}); err != nil {
		return err
	}
	for i, t := range topics {
		id := uint16(i + 1)
		schema := t.schema
		schema.ID = id
		if err := w.WriteSchema(&schema); err != nil {
			return err
		}
		err := w.WriteChannel(&mcap.Channel{ID: id, SchemaID: id, Topic: t.name, MessageEncoding: t.encoding})
		if err != nil {
			return err
		}
	}
	if err := d.writeMessages(w); err != nil {
		return err
	}
	if err := d.writeExtras(w); err != nil {
		return err
	}
	return w.Close()
}

// writeMessages writes the messages of all topics in the order of their log times.
func (d *Drive) writeMessages(w *mcap.Writer) error {
	var all []*mcap.Message
	for i, t := range topics {
		for n, m := range t.messages(d) {
			all = append(all, &mcap.Message{
				ChannelID:   uint16(i + 1),
				Sequence:    uint32(n + 1),
				PublishTime: uint64(d.Start.Add(m.published).UnixNano()),
				LogTime:     uint64(d.Start.Add(m.published + m.delay).UnixNano()),
				Data:        m.data,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b *mcap.Message) int {
		return int(int64(a.LogTime) - int64(b.LogTime))
	})
	for _, m := range all {
		if err := w.WriteMessage(m); err != nil {
			return err
		}
	}
	return nil
}

func (d *Drive) writeExtras(w *mcap.Writer) error {
	records := []mcap.Metadata{
		{Name: "run", Metadata: map[string]string{"robot": "rover-7", "site": "north yard", "weather": d.Weather}},
		{Name: "software", Metadata: map[string]string{"stack": "rover 2.4.1", "planner": "grid"}},
	}
	for _, m := range records {
		if err := w.WriteMetadata(&m); err != nil {
			return err
		}
	}
	calibration := []byte("imu:\n  frame: imu_link\n  gyro_bias: [0.001, -0.002, 0.0005]\n")
	return w.WriteAttachment(&mcap.Attachment{
		Name: "calibration.yaml", MediaType: "application/yaml",
		LogTime: uint64(d.Start.UnixNano()), CreateTime: uint64(d.Start.UnixNano()),
		DataSize: uint64(len(calibration)), Data: bytes.NewReader(calibration),
	})
}

// stopDelay is how long the rover drives on with a battery that gives in.
const stopDelay = 2 * time.Second

// driven is how long the rover has been driving.
func (d *Drive) driven(at time.Duration) time.Duration {
	if d.sagAt > 0 {
		return min(at, d.sagAt+stopDelay)
	}
	return at
}

// day is a time on the day of the drives.
func day(hour, minute int) time.Time {
	return time.Date(2025, time.June, 3, hour, minute, 0, 0, time.UTC)
}

package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode"
	"tapedeck/decode/registry"
	"tapedeck/internal/duckdb"
	"tapedeck/internal/recording"
)

const benchMessages = 1_000_000

var benchOptions = mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 20, Compression: mcap.CompressionZSTD}

func jsonSource(b *testing.B) Source {
	schema := &mcap.Schema{Name: "Sample", Encoding: "jsonschema", Data: []byte(`{"type":"object","properties":{"t":{"type":"integer"},
		"x":{"type":"number"},"y":{"type":"number"},"state":{"type":"string"},"ok":{"type":"boolean"}}}`)}
	messages := make([]message, benchMessages)
	for i := range messages {
		messages[i] = message{"/sample", uint64(i) * 1e6, fmt.Sprintf(`{"t":%d,"x":%.4f,"y":%.4f,"state":"state_%d","ok":%v}`,
			1700000000000+i, math.Sin(float64(i)), math.Cos(float64(i)), i%7, i%2 == 0)}
	}
	return record(b, []channel{{"/sample", "json", schema}}, messages, benchOptions)
}

const imuDefinition = `std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration
float64[9] linear_acceleration_covariance
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`

func imuSource(b *testing.B) Source {
	messages := make([]message, benchMessages)
	for i := range messages {
		data := binary.LittleEndian.AppendUint32([]byte{0, 1, 0, 0}, uint32(1700000000+i/100))
		data = binary.LittleEndian.AppendUint32(data, uint32(i%100)*1e7)
		data = append(data, 9, 0, 0, 0)
		data = append(data, "imu_link\x00\x00\x00\x00"...) // with padding to 8 bytes after the header
		for j := range 37 {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(math.Sin(float64(i+j))*float64(j%3)))
		}
		messages[i] = message{"/imu", uint64(i) * 1e6, string(data)}
	}
	schema := &mcap.Schema{Name: "sensor_msgs/msg/Imu", Encoding: "ros2msg", Data: []byte(imuDefinition)}
	return record(b, []channel{{"/imu", "cdr", schema}}, messages, benchOptions)
}

// BenchmarkLoad loads a million messages, and tells how long that takes beside
// the two things that no load can do without, measured in the same run: walking
// the chunks, and appending ready columns to a table file.
func BenchmarkLoad(b *testing.B) {
	for name, make := range map[string]func(*testing.B) Source{"json": jsonSource, "imu": imuSource} {
		b.Run(name, func(b *testing.B) {
			src := make(b)
			walk := seconds(b, func() { walkAll(b, src) })
			batch := decoded(b, src)
			write := seconds(b, func() { appendAgain(b, src, batch) })
			var total float64
			for b.Loop() {
				cache := openCache(b)
				total += seconds(b, func() { mustLoad(b, cache, src, registry.Decoders(), Options{}) })
			}
			load := total / float64(b.N)
			b.ReportMetric(benchMessages/load/1e6, "Mmsg/s")
			b.ReportMetric(walk, "walk-s")
			b.ReportMetric(write, "append-s")
			b.ReportMetric(load/math.Max(walk, write), "×limit")
		})
	}
}

// BenchmarkLoadAgain is the second load of a recording: found, not made.
func BenchmarkLoadAgain(b *testing.B) {
	src := jsonSource(b)
	cache := openCache(b)
	mustLoad(b, cache, src, registry.Decoders(), Options{})
	for b.Loop() {
		mustLoad(b, cache, src, registry.Decoders(), Options{})
	}
}

func seconds(b *testing.B, f func()) float64 {
	b.Helper()
	began := time.Now()
	f()
	return time.Since(began).Seconds()
}

func walkAll(b *testing.B, src Source) {
	scratch, n := &recording.Scratch{}, 0
	_, err := src.File.Blocks(b.Context(), src.Summary, recording.Selection{}, func(block recording.Block) error {
		_, err := block.Messages(scratch, func(*recording.Message) error { n++; return nil })
		return err
	})
	if err != nil || n != benchMessages {
		b.Fatalf("%d messages, error %v", n, err)
	}
}

// decoded is the first vector of the recording's rows.
func decoded(b *testing.B, src Source) *part {
	topics := plan(src.Summary.Channels, registry.Decoders(), Options{})
	p := newPass(nil, src, Options{}, topics, false, nil)
	var first *part
	w := newWorker(p)
	errFirst := fmt.Errorf("the first is enough")
	_, err := src.File.Blocks(b.Context(), src.Summary, recording.Selection{}, func(block recording.Block) error {
		_, err := w.block(b.Context(), block, func(p *part) error { first = p; return errFirst })
		return err
	})
	if first == nil {
		b.Fatal(err)
	}
	return first
}

// appendAgain writes the same vector until a million rows are there.
func appendAgain(b *testing.B, src Source, first *part) {
	conn := connect(b)
	if err := conn.Exec("SET threads = 2; ATTACH " + duckdb.QuoteText(filepath.Join(b.TempDir(), "t.duckdb")) + " AS " + catalog + " (BLOCK_SIZE 16384)"); err != nil {
		b.Fatal(err)
	}
	p := newPass(conn, src, Options{}, plan(src.Summary.Channels, registry.Decoders(), Options{}), false, nil)
	if err := p.createTables(); err != nil {
		b.Fatal(err)
	}
	target := p.targets[0]
	vectors := []*decode.Vector{first.own.Column(0)}
	for i := range first.rows.Columns() {
		vectors = append(vectors, first.rows.Column(i))
	}
	for range benchMessages / first.own.Rows() {
		if err := target.appender.Append(vectors, first.own.Rows()); err != nil {
			b.Fatal(err)
		}
	}
	if err := p.closeAppenders(); err != nil {
		b.Fatal(err)
	}
	if err := conn.Exec("CHECKPOINT " + catalog); err != nil {
		b.Fatal(err)
	}
}

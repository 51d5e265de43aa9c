package ros

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// topic is what a recording has of one topic of ROS messages.
type topic struct {
	schema                   string
	columns                  []string // as "name TYPE"
	rows                     []row
	schemaError, decodeError error
	messages, decodeErrors   int
}

// read returns the ROS topics of a recording, as far as it is whole.
func read(t *testing.T, path string) map[string]*topic {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lexer, err := mcap.NewLexer(f)
	if err != nil {
		return nil
	}
	r := recording{schemas: map[uint16]*mcap.Schema{}, channels: map[uint16]*channel{}, topics: map[string]*topic{}}
	for {
		token, record, err := lexer.Next(nil)
		if err != nil || token == mcap.TokenFooter {
			if err != nil && !errors.Is(err, io.EOF) {
				t.Logf("%s: %v", path, err)
			}
			return r.topics
		}
		if err := r.record(token, record); err != nil {
			t.Logf("%s: %v", path, err)
		}
	}
}

type recording struct {
	schemas  map[uint16]*mcap.Schema
	channels map[uint16]*channel
	topics   map[string]*topic
}

type channel struct {
	topic *topic
	plan  decode.Plan
	batch *decode.Batch
}

func (r *recording) record(token mcap.TokenType, record []byte) error {
	switch token {
	case mcap.TokenSchema:
		s, err := mcap.ParseSchema(record)
		if err == nil {
			r.schemas[s.ID] = s
		}
		return err
	case mcap.TokenChannel:
		c, err := mcap.ParseChannel(record)
		if err == nil {
			r.open(c)
		}
		return err
	case mcap.TokenMessage:
		m, err := mcap.ParseMessage(record)
		if err == nil {
			r.message(m)
		}
		return err
	}
	return nil
}

func (r *recording) open(c *mcap.Channel) {
	s := r.schemas[c.SchemaID]
	if s == nil || r.channels[c.ID] != nil {
		return
	}
	for _, d := range []decode.Decoder{ROS1(), ROS2()} {
		if !d.Claims(c.MessageEncoding, s.Encoding) {
			continue
		}
		ch := &channel{topic: r.topics[c.Topic]}
		if ch.topic == nil {
			ch.topic = &topic{schema: s.Name}
			r.topics[c.Topic] = ch.topic
		}
		ch.plan, ch.topic.schemaError = d.Compile(decode.Schema{Name: s.Name, Encoding: s.Encoding, Data: s.Data}, decode.Options{})
		if ch.plan != nil {
			ch.topic.columns = decodetest.Columns(ch.plan)
			ch.batch = decode.NewBatch(ch.plan.Columns(), nil)
		}
		r.channels[c.ID] = ch
	}
}

func (r *recording) message(m *mcap.Message) {
	c := r.channels[m.ChannelID]
	if c == nil {
		return
	}
	c.topic.messages++
	if c.plan == nil {
		return
	}
	c.batch.Reset()
	if err := c.plan.Decode(m.Data, c.batch); err != nil {
		c.topic.decodeErrors++
		c.topic.decodeError = err
		return
	}
	c.topic.rows = append(c.topic.rows, decodetest.Rows(c.plan, c.batch)...)
}

// expected is a line of EXPECTED.jsonl.
type expected struct {
	File   string
	Error  *string
	Topics map[string]struct {
		Encoding, SchemaEncoding, Schema, SchemaError string
		Count, DecodeErrors                           int
		Leaves                                        map[string]leaf
	}
}

type leaf struct {
	Kind      string
	N         int
	Sum       float64
	Nonfinite int
}

// TestCorpus holds every recording against what the reference libraries read.
func TestCorpus(t *testing.T) {
	dir := decodetest.Corpus(t, ".")
	f, err := os.Open(filepath.Join(dir, "EXPECTED.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, topics := bufio.NewScanner(f), 0
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var want expected
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if want.Error != nil || !want.hasROS() {
			continue
		}
		got := read(t, filepath.Join(dir, want.File))
		for name, w := range want.Topics {
			if g := got[name]; g != nil {
				topics++
				t.Run(want.File+name, func(t *testing.T) { compareTopic(t, g, w.SchemaError, w.Count, w.DecodeErrors, w.Leaves) })
			}
		}
	}
	if topics < 100 {
		t.Errorf("only %d topics were compared", topics)
	}
}

func (e expected) hasROS() bool {
	for _, t := range e.Topics {
		if ROS1().Claims(t.Encoding, t.SchemaEncoding) || ROS2().Claims(t.Encoding, t.SchemaEncoding) {
			return true
		}
	}
	return false
}

func compareTopic(t *testing.T, got *topic, schemaError string, count, decodeErrors int, leaves map[string]leaf) {
	if got.messages != count {
		t.Errorf("%d messages, want %d", got.messages, count)
	}
	delete(leaves, "") // a message without fields
	if got.schemaError != nil {
		if schemaError == "" && len(leaves) > 0 {
			t.Errorf("schema error: %v", got.schemaError)
		}
		return
	}
	if got.decodeErrors != decodeErrors {
		t.Errorf("%d messages were not decoded (%v), want %d", got.decodeErrors, got.decodeError, decodeErrors)
	}
	for path, want := range leaves {
		if err := compareLeaf(got.rows, path, want); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func compareLeaf(rows []row, path string, want leaf) error {
	sum, n, nonfinite := 0.0, 0, 0
	for _, r := range rows {
		value, ok := r[path]
		if !ok {
			return fmt.Errorf("there is no such column")
		}
		if value == nil {
			continue
		}
		n++
		if x := measure(value); math.IsNaN(x) || math.IsInf(x, 0) {
			nonfinite++
		} else {
			sum += x
		}
	}
	if n != want.N || nonfinite != want.Nonfinite || math.Abs(sum-want.Sum) > 1e-6*math.Abs(want.Sum)+1e-9 {
		return fmt.Errorf("%d values, %d of them not finite, that make %v; want %d, %d and %v", n, nonfinite, sum, want.N, want.Nonfinite, want.Sum)
	}
	return nil
}

// measure returns what EXPECTED.jsonl sums of a value.
func measure(value any) float64 {
	switch x := value.(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case string:
		return float64(len(x))
	case []byte:
		return float64(len(x))
	case []any:
		return float64(len(x))
	case uint64:
		return float64(x)
	case float32:
		return float64(x)
	case float64:
		return x
	}
	var f float64
	fmt.Sscan(fmt.Sprint(value), &f)
	return f
}

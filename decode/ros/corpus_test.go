package ros

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/internal/corpustest"
)

// topic is what a recording has of one topic of ROS messages.
type topic struct {
	schema                   string
	columns                  []string // as "name TYPE"
	rows                     []row
	schemaError, decodeError error
	messages, decodeErrors   uint64
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

// TestCorpus holds every recording against what the reference libraries read.
func TestCorpus(t *testing.T) {
	topics := 0
	for _, want := range corpustest.Expected(t) {
		if want.Error != nil || !hasROS(want) {
			continue
		}
		got := read(t, corpustest.Recording(t, want.File))
		for name, w := range want.Topics {
			if g := got[name]; g != nil {
				topics++
				t.Run(want.File+name, func(t *testing.T) { compareTopic(t, g, w) })
			}
		}
	}
	if topics < 100 {
		t.Errorf("only %d topics were compared", topics)
	}
}

func hasROS(f corpustest.File) bool {
	for _, t := range f.Topics {
		if ROS1().Claims(t.Encoding, t.SchemaEncoding) || ROS2().Claims(t.Encoding, t.SchemaEncoding) {
			return true
		}
	}
	return false
}

func compareTopic(t *testing.T, got *topic, want corpustest.Topic) {
	if got.messages != want.Count {
		t.Errorf("%d messages, want %d", got.messages, want.Count)
	}
	delete(want.Leaves, "") // a message without fields
	if got.schemaError != nil {
		if want.SchemaError == "" && len(want.Leaves) > 0 {
			t.Errorf("schema error: %v", got.schemaError)
		}
		return
	}
	if got.decodeErrors != want.DecodeErrors {
		t.Errorf("%d messages were not decoded (%v), want %d", got.decodeErrors, got.decodeError, want.DecodeErrors)
	}
	for path, want := range want.Leaves {
		if err := compareLeaf(got.rows, path, want); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func compareLeaf(rows []row, path string, want corpustest.Leaf) error {
	sum, n, nonfinite := 0.0, uint64(0), uint64(0)
	for _, r := range rows {
		value, ok := r[path]
		if !ok {
			return fmt.Errorf("there is no such column")
		}
		if value == nil {
			continue
		}
		n++
		if x := corpustest.Weight(value); math.IsNaN(x) || math.IsInf(x, 0) {
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

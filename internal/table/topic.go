package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

// timestampColumn is the first column of every table: log time in microseconds.
const timestampColumn = "timestamp_us"

// ownColumns are the columns that come from the message's record, not from its data.
func ownColumns(messageColumns bool) []decode.Column {
	columns := []decode.Column{{Name: timestampColumn, Type: decode.Scalar(decode.Int64), Description: "log time, microseconds since the epoch"}}
	if !messageColumns {
		return columns
	}
	return append(columns,
		decode.Column{Name: "log_time_ns", Type: decode.Scalar(decode.Uint64), Description: "log time, nanoseconds"},
		decode.Column{Name: "publish_time_ns", Type: decode.Scalar(decode.Uint64), Description: "publish time, nanoseconds"},
		decode.Column{Name: "sequence", Type: decode.Scalar(decode.Uint32), Description: "sequence number of the message"},
		decode.Column{Name: "channel_id", Type: decode.Scalar(decode.Uint16), Description: "channel of the message"},
	)
}

// topic is one topic of a recording on its way to a table.
type topic struct {
	name     string // of the topic
	table    string // its table, without alias
	channels []*recording.Channel
	plans    []*planned
	planOf   map[*recording.Channel]int // channels that have no plan are missing
	reasons  []string                   // why channels have no plan
	omit     bool                       // sizes stand for blobs
	own      int                        // columns from the message's record
	columns  []Column
}

// planned is a plan with the place of its columns in the table.
type planned struct {
	decode.Plan
	place []int  // by the plan's column: index in topic.columns
	sizes []bool // by the plan's column: the size stands for the blob
}

// Column is a column of a table.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // as DuckDB spells it
	Description string `json:"description,omitempty"`
	OmittedBlob string `json:"omitted_blob,omitempty"` // the BLOB column that this size stands for
}

// planner makes plans for the channels of one recording.
type planner struct {
	decoders []decode.Decoder
	options  Options
	compiled map[string]compiled // by encodings and schema: a schema often comes under several ids
}

type compiled struct {
	plan decode.Plan
	err  error
}

// plan groups the channels of a recording by topic, in topic order, and
// compiles their schemas.
func plan(channels []*recording.Channel, decoders []decode.Decoder, options Options) []*topic {
	byTopic := map[string][]*recording.Channel{}
	var names []string
	for _, c := range channels {
		if byTopic[c.Topic] == nil {
			names = append(names, c.Topic)
		}
		byTopic[c.Topic] = append(byTopic[c.Topic], c)
	}
	slices.Sort(names)
	tables := tableNames(names)
	p := planner{decoders: decoders, options: options, compiled: map[string]compiled{}}
	var topics []*topic
	for _, name := range names {
		if options.wants(name) {
			topics = append(topics, p.topic(name, tables[name], byTopic[name]))
		}
	}
	return topics
}

func (p *planner) topic(name, table string, channels []*recording.Channel) *topic {
	t := &topic{name: name, table: table, channels: channels, planOf: map[*recording.Channel]int{},
		omit: p.options.omits(meanSize(channels)), own: len(ownColumns(p.options.MessageColumns))}
	byPlan := map[decode.Plan]int{}
	for _, c := range channels {
		plan, err := p.compile(c)
		if err != nil {
			if reason := err.Error(); !slices.Contains(t.reasons, reason) {
				t.reasons = append(t.reasons, reason)
			}
			continue
		}
		i, known := byPlan[plan]
		if !known {
			i = len(t.plans)
			byPlan[plan] = i
			t.plans = append(t.plans, &planned{Plan: plan})
		}
		t.planOf[c] = i
	}
	t.layOut(p.options.MessageColumns)
	return t
}

// meanSize is the mean size of a topic's messages over its channels.
func meanSize(channels []*recording.Channel) float64 {
	var bytes, messages float64
	for _, c := range channels {
		bytes += c.MeanSize * float64(c.Count)
		messages += float64(c.Count)
	}
	if messages == 0 {
		return 0
	}
	return bytes / messages
}

// compile makes the plan of a channel. Channels of one topic with the same
// schema share a plan, so that what JSON shows is learned once; topics don't.
func (p *planner) compile(c *recording.Channel) (decode.Plan, error) {
	schema := decode.Schema{}
	if c.Schema != nil {
		schema = c.Schema.Schema
	} else if c.SchemaID != 0 {
		return nil, fmt.Errorf("the file lacks its schema (id %d)", c.SchemaID)
	}
	key := strings.Join([]string{c.Topic, c.MessageEncoding, schema.Encoding, schema.Name, string(schema.Data)}, "\x00")
	made, known := p.compiled[key]
	if !known {
		made.plan, made.err = p.compileSchema(c.MessageEncoding, schema)
		p.compiled[key] = made
	}
	return made.plan, made.err
}

func (p *planner) compileSchema(messageEncoding string, schema decode.Schema) (plan decode.Plan, err error) {
	decoder := DecoderFor(p.decoders, messageEncoding, schema.Encoding)
	if decoder == nil && schema.Encoding == "" {
		return nil, fmt.Errorf("no decoder for message encoding %q without a schema", messageEncoding)
	}
	if decoder == nil {
		return nil, fmt.Errorf("no decoder for message encoding %q with schema encoding %q", messageEncoding, schema.Encoding)
	}
	defer func() { // a decoder's fault costs its topic only
		if fault := recover(); fault != nil {
			plan, err = nil, fmt.Errorf("%s failed on the schema: %v", decoder.Name(), fault)
		}
	}()
	var reserved []string
	for _, c := range ownColumns(p.options.MessageColumns) {
		reserved = append(reserved, c.Name)
	}
	return decoder.Compile(schema, decode.Options{FlattenDepth: p.options.FlattenDepth, Reserved: reserved})
}

// DecoderFor returns the first decoder that claims a pair of encodings, or nil.
func DecoderFor(decoders []decode.Decoder, messageEncoding, schemaEncoding string) decode.Decoder {
	for _, d := range decoders {
		if d.Claims(messageEncoding, schemaEncoding) {
			return d
		}
	}
	return nil
}

// layOut gives the columns of all plans their places in the table. Columns of
// one name and type are one; of one name and another type they stand side by
// side, the later one with a number, so that each message keeps its own type.
func (t *topic) layOut(messageColumns bool) {
	t.columns = t.columns[:0]
	free := decode.NewNames()
	for _, c := range ownColumns(messageColumns) {
		t.columns = append(t.columns, Column{Name: free.Take(c.Name), Type: c.Type.SQL(), Description: c.Description})
	}
	known := map[string]int{} // by name and type, as the plans say them
	for _, p := range t.plans {
		columns := p.Columns()
		p.place, p.sizes = make([]int, len(columns)), make([]bool, len(columns))
		for i, c := range columns {
			p.sizes[i] = t.omit && c.Type.Kind == decode.Bytes
			key := strings.ToLower(c.Name) + "\x00" + c.Type.SQL()
			place, ok := known[key]
			if !ok {
				place = len(t.columns)
				known[key] = place
				t.columns = append(t.columns, newColumn(c, p.sizes[i], free))
			}
			p.place[i] = place
		}
	}
}

func newColumn(c decode.Column, size bool, free *decode.Names) Column {
	if !size {
		return Column{Name: free.Take(c.Name), Type: c.Type.SQL(), Description: c.Description}
	}
	return Column{Name: free.Take(c.Name + "_size"), Type: decode.Scalar(decode.Uint32).SQL(), OmittedBlob: c.Name,
		Description: fmt.Sprintf(`bytes of %s, which is left out of large messages: name the topic, or pass blobs: "load", to have it`, c.Name)}
}

// settled reports whether the schemas alone give the columns.
func (t *topic) settled() bool {
	for _, p := range t.plans {
		if inferrer, ok := p.Plan.(decode.Inferrer); ok && !inferrer.Settled() {
			return false
		}
	}
	return true
}

// infers reports whether messages may change the columns.
func (t *topic) infers() bool {
	return slices.ContainsFunc(t.plans, func(p *planned) bool { _, ok := p.Plan.(decode.Inferrer); return ok })
}

func (t *topic) inferWarnings() []string {
	var warnings []string
	for _, p := range t.plans {
		if inferrer, ok := p.Plan.(decode.Inferrer); ok {
			for _, w := range inferrer.Warnings() {
				warnings = append(warnings, fmt.Sprintf("%s: %s", t.name, w))
			}
		}
	}
	return warnings
}

// skipReason tells why a topic becomes no table, or a part of it does not; it
// is empty when all of its channels are decoded.
func (t *topic) skipReason() string { return strings.Join(t.reasons, "; ") }

// observe lets the topic's plans see a message. Messages that can't be read
// are left to the load to count.
func (t *topic) observe(m *recording.Message) {
	i, ok := t.planOf[m.Channel]
	if !ok {
		return
	}
	inferrer, ok := t.plans[i].Plan.(decode.Inferrer)
	if !ok {
		return
	}
	_ = safely(func() error { return inferrer.Observe(m.Data) })
}

// errFault: a decoder panicked. It must not; the message is lost, not the process.
var errFault = errors.New("the decoder failed")

func safely(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", errFault, fault)
		}
	}()
	return f()
}

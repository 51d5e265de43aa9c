package deck

import (
	"context"
	"fmt"
	"slices"

	"tapedeck/internal/nearest"
	"tapedeck/internal/recording"
	"tapedeck/internal/table"
)

// sqlHint tells an agent the few things that it must know to write SQL.
const sqlHint = "A topic's table is its name without the leading / and with other / as _ (/battery/status -> battery_status; " +
	"with alias r1: r1_battery_status); write sql_name where it is given. timestamp_us (BIGINT, log time in microseconds) is in every table: " +
	"combine topics with FROM a ASOF JOIN b ON a.timestamp_us >= b.timestamp_us; as time: make_timestamp(timestamp_us); " +
	"a window: WHERE timestamp_us BETWEEN epoch_us(TIMESTAMP '2024-05-01 12:00:00') AND …; buckets: GROUP BY timestamp_us // 1000000. " +
	"Times in messages are TIMESTAMP_NS: epoch_us(header_stamp); durations are nanoseconds. Lists: unnest(col), col[1], len(col), list_avg(col); structs: col.field."

// Schema tells the tables that a load makes of a recording, or of one topic of
// it, without loading.
func (d *Deck) Schema(ctx context.Context, file, topic string) (*RecordingSchema, error) {
	rec, err := d.open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	options := table.Options{FlattenDepth: d.opt.FlattenDepth}
	if topic != "" {
		if err := knownTopics(rec.Rel, rec.Summary, []string{topic}); err != nil {
			return nil, err
		}
		options.Topics = []string{topic}
	}
	described, err := table.Describe(ctx, source(rec), d.decoders, options)
	if err != nil {
		return nil, ended(err)
	}
	schema := &RecordingSchema{File: rec.Rel, Topics: map[string]TopicSchema{}, MetadataTable: table.MetadataTable, SQLHint: sqlHint}
	for _, t := range described {
		if t.SkipReason != "" {
			schema.SkippedTopics = append(schema.SkippedTopics, SkippedTopic{t.Topic, t.SkipReason})
		}
		if t.Decoded {
			schema.Topics[t.Topic] = topicSchema(t)
		}
	}
	return schema, nil
}

func topicSchema(t table.Described) TopicSchema {
	s := TopicSchema{TableName: t.Table, SchemaName: schemaName(t.Channels[0]), MessageEncoding: t.Channels[0].MessageEncoding,
		SQLName: quotedName(t.Table), Inferred: t.Inferred, Warnings: t.Warnings}
	for _, c := range t.Channels {
		s.MessageCount += c.Count
	}
	for _, c := range t.Columns {
		s.Fields = append(s.Fields, Field{Name: c.Name, Type: c.Type, Description: c.Description,
			OmittedByDefault: c.OmittedBlob != "" || t.Large && c.Type == "BLOB"})
	}
	return s
}

// quotedName is a table's name as SQL needs it, when that differs.
func quotedName(name string) string {
	if quoted := table.SQLName(name); quoted != name {
		return quoted
	}
	return ""
}

// knownTopics checks that a recording has topics, and names the nearest when not.
func knownTopics(file string, s *recording.Summary, topics []string) error {
	var known []string
	for _, c := range s.Channels {
		known = append(known, c.Topic)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, t := range topics {
		if !slices.Contains(known, t) {
			return &Error{Code: CodeUnknownTopic, Message: fmt.Sprintf("%s has no topic %q", file, t),
				Nearest: nearest.Nearest(t, known, 5), Hint: "get_recording_info lists the recording's topics"}
		}
	}
	return nil
}

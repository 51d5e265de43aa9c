package mcpserver

import (
	"context"

	"tapedeck/internal/deck"
)

func loadRecording(Options) tool {
	return tool{
		name:  "load_recording",
		title: "Load a recording",
		description: "Make SQL tables of a recording, one a topic; query needs them. /battery/status becomes " +
			"battery_status, with alias r1 r1_battery_status; every table begins with timestamp_us. " +
			"Load each recording under its own alias to compare them. Loading again is quick and replaces " +
			"the same tables. For large files choose topics or a time window.",
		loads: true,
		params: []param{
			{name: "file", kind: text, required: true, about: "File name or path, as list_recordings gives it"},
			{name: "alias", kind: text, about: "Prefix of the tables, e.g. r1"},
			{name: "topics", kind: texts, about: "Topics to load; default: all that can be decoded"},
			{name: "start_time", kind: moment, about: "Start of the window: ISO 8601 or epoch microseconds"},
			{name: "end_time", kind: moment, about: "End of the window, itself left out: ISO 8601 or epoch microseconds"},
			{name: "downsample", kind: integer, min: 1, about: "Keep the first of every N messages of a topic"},
			{name: "message_columns", kind: boolean, about: "Add log_time_ns, publish_time_ns, sequence, channel_id"},
			{name: "blobs", kind: text, enum: []string{"load", "omit"},
				about: "Bytes of images, point clouds and other large messages; default: load those of topics named in topics"},
		},
		output: outputSchema[deck.LoadResult](),
		run:    runLoadRecording,
	}
}

func runLoadRecording(ctx context.Context, c *call) (*answer, error) {
	made, err := c.ops.Load(ctx, deck.LoadRequest{
		File:           c.args.text("file"),
		Alias:          c.args.text("alias"),
		Topics:         c.args.texts("topics"),
		StartTime:      c.args.text("start_time"),
		EndTime:        c.args.text("end_time"),
		Downsample:     c.args.integer("downsample"),
		MessageColumns: c.args.boolean("message_columns"),
		Blobs:          c.args.text("blobs"),
	}, c.progress)
	if err != nil {
		return nil, err
	}
	shown := fitLoad(made, c.maxBytes)
	return &answer{data: shown, note: shown.Note}, nil
}

// fitLoad shrinks a result that does not fit into room.
func fitLoad(made *deck.LoadResult, room int) *deck.LoadResult {
	shown := *made
	shown.Tables, shown.SkippedTopics = table(made.Tables), list(made.SkippedTopics)
	if size(&shown) <= room {
		return &shown
	}
	room -= noteRoom
	shown.Tables = keepEntries(shown.Tables, room*4/10)
	shown.Undecoded = keepEntries(made.Undecoded, room/10)
	shown.SkippedTopics = keepThatFit(shown.SkippedTopics, room/10)
	shown.Skipped = keepThatFit(made.Skipped, room/10)
	shown.Warnings = keepThatFit(made.Warnings, room/10)
	shown.EvictedTables = keepThatFit(made.EvictedTables, room/20)
	shown.ReplacedTables = keepThatFit(made.ReplacedTables, room/20)
	shown.Note = loadNote(made, &shown)
	return &shown
}

// loadNote says what the result of a load left out and how to get it.
func loadNote(made, shown *deck.LoadResult) string {
	var cut tally
	tables := cut.count("tables", len(shown.Tables), len(made.Tables))
	cut.count("undecoded", len(shown.Undecoded), len(made.Undecoded))
	cut.count("skipped_topics", len(shown.SkippedTopics), len(made.SkippedTopics))
	cut.count("skipped", len(shown.Skipped), len(made.Skipped))
	cut.count("warnings", len(shown.Warnings), len(made.Warnings))
	cut.count("evicted_tables", len(shown.EvictedTables), len(made.EvictedTables))
	cut.count("replaced_tables", len(shown.ReplacedTables), len(made.ReplacedTables))
	note := "Too long for one answer: " + cut.String() + "."
	if tables {
		note += " Query " + allTables + " for all of them."
	}
	return note
}

package mcpserver

import (
	"context"

	"tapedeck/internal/deck"
)

func getSchema(Options) tool {
	return tool{
		name:  "get_schema",
		title: "Show tables and columns",
		description: "The tables and columns, with DuckDB types, that load_recording makes of a recording, and a " +
			"sql_hint. Use it before writing SQL; it needs no load. With many topics, name the one you want.",
		params: []param{
			{name: "file", kind: text, required: true, about: "File name or path, as list_recordings gives it"},
			{name: "topic", kind: text, about: "Only this topic, e.g. /imu"},
		},
		output: outputSchema[deck.RecordingSchema](),
		run:    runGetSchema,
	}
}

func runGetSchema(ctx context.Context, c *call) (*answer, error) {
	found, err := c.ops.Schema(ctx, c.args.text("file"), c.args.text("topic"))
	if err != nil {
		return nil, err
	}
	shown := fitSchema(found, c.maxBytes)
	return &answer{data: shown, note: shown.Note}, nil
}

package mcpserver

import (
	"context"

	"tapedeck/internal/deck"
)

func listRecordings(Options) tool {
	return tool{
		name:  "list_recordings",
		title: "List recordings",
		description: "Find recordings (MCAP files) in the data folder: file, size, time span, topics with " +
			"message counts and schemas. Start here, then get_schema.",
		params: []param{
			{name: "path", kind: text, about: "Folder to scan instead of the data folder"},
			{name: "after", kind: moment, about: "Only recordings that end at or after this ISO 8601 time"},
			{name: "before", kind: moment, about: "Only recordings that start at or before this ISO 8601 time"},
			{name: "limit", kind: integer, min: 1, about: "Most recordings to return"},
			{name: "offset", kind: integer, about: "Recordings to skip, for the next page"},
		},
		output: outputSchema[deck.RecordingList](),
		run:    runListRecordings,
	}
}

func runListRecordings(ctx context.Context, c *call) (*answer, error) {
	request := deck.ListRequest{
		Path:   c.args.text("path"),
		After:  c.args.text("after"),
		Before: c.args.text("before"),
		Offset: c.args.integer("offset"),
		Limit:  c.args.integer("limit"),
	}
	found, err := c.ops.ListRecordings(ctx, request, c.progress)
	if err != nil {
		return nil, err
	}
	shown := fitRecordings(found, request.Offset, c.maxBytes)
	return &answer{data: shown, text: shown.Recordings, note: shown.Note}, nil
}

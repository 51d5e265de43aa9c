package mcpserver

import (
	"context"
	"fmt"

	"tapedeck/internal/deck"
)

func getRecordingInfo(Options) tool {
	return tool{
		name:  "get_recording_info",
		title: "Describe a recording",
		description: "What a recording says of itself, without loading it: channels with encodings, decoders " +
			"and counts, metadata, attachments, and warnings of damage.",
		params: []param{
			{name: "file", kind: text, required: true, about: "File name or path, as list_recordings gives it"},
		},
		output: outputSchema[deck.RecordingInfo](),
		run:    runGetRecordingInfo,
	}
}

func runGetRecordingInfo(ctx context.Context, c *call) (*answer, error) {
	found, err := c.ops.RecordingInfo(ctx, c.args.text("file"))
	if err != nil {
		return nil, err
	}
	shown := fitInfo(found, c.maxBytes)
	return &answer{data: shown, note: shown.Note}, nil
}

// fitInfo shrinks a description that does not fit into room: long metadata
// values, which may be whole robot models, then what is too much of each kind.
func fitInfo(found *deck.RecordingInfo, room int) *deck.RecordingInfo {
	shown := *found
	shown.Channels, shown.Metadata = table(found.Channels), table(found.Metadata)
	shown.Attachments, shown.Compression = list(found.Attachments), list(found.Compression)
	if size(&shown) <= room {
		return &shown
	}
	room -= noteRoom
	shown.Library, shown.Profile = cutText(found.Library, 200), cutText(found.Profile, 200)
	shown.Channels = keepEntries(shown.Channels, room*4/10)
	shown.Metadata = keepEntries(cutValues(shown.Metadata, 200), room*4/10)
	shown.Attachments = keepThatFit(shown.Attachments, room/10)
	shown.Warnings = keepThatFit(shown.Warnings, room/10)
	shown.Note = fmt.Sprintf("Too long for one answer: %d channels, %d metadata records, %d attachments and %d warnings are "+
		"left out, and long metadata values are cut. get_schema names all topics; after load_recording, query _metadata for whole values.",
		len(found.Channels)-len(shown.Channels), len(found.Metadata)-len(shown.Metadata),
		len(found.Attachments)-len(shown.Attachments), len(found.Warnings)-len(shown.Warnings))
	return &shown
}

func cutValues(records map[string]map[string]string, most int) map[string]map[string]string {
	cut := make(map[string]map[string]string, len(records))
	for name, values := range records {
		cut[name] = make(map[string]string, len(values))
		for key, value := range values {
			cut[name][key] = cutText(value, most)
		}
	}
	return cut
}

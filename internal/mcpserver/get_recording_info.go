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
	shown.Library, shown.Profile = cutText(found.Library, mostValue), cutText(found.Profile, mostValue)
	shown.Compression = keepThatFit(shown.Compression, room/20)
	shown.Attachments = keepThatFit(shown.Attachments, room/10)
	shown.Warnings = keepThatFit(shown.Warnings, room/10)
	records := cutRecords(found.MetadataRecords)
	shown.MetadataRecords = keepThatFit(records, room/10)
	// Channels have a share of their own, and what metadata leaves of its. What
	// nothing else needs goes to the records.
	shown.Metadata, shown.Channels = map[string]map[string]string{}, keepEntries(shown.Channels, room*3/10)
	shown.Metadata = keepEntries(cutMetadata(found.Metadata), room-size(&shown))
	shown.Channels = map[string]deck.ChannelInfo{}
	shown.Channels = keepEntries(table(found.Channels), room-size(&shown))
	shown.MetadataRecords = nil
	shown.MetadataRecords = keepThatFit(records, room-size(&shown))
	shown.Note = infoNote(found, &shown)
	return &shown
}

// mostValue is how many bytes a description that is too long shows of a word of
// the recording's: its library, its profile, a metadata value.
const mostValue = 200

func cutMetadata(records map[string]map[string]string) map[string]map[string]string {
	cut := make(map[string]map[string]string, len(records))
	for name, values := range records {
		cut[name] = cutValues(values)
	}
	return cut
}

func cutRecords(records []deck.MetadataRecord) []deck.MetadataRecord {
	cut := make([]deck.MetadataRecord, len(records))
	for i, r := range records {
		cut[i] = deck.MetadataRecord{Name: r.Name, Values: cutValues(r.Values)}
	}
	return cut
}

func cutValues(values map[string]string) map[string]string {
	cut := make(map[string]string, len(values))
	for key, value := range values {
		cut[key] = cutText(value, mostValue)
	}
	return cut
}

// infoNote says what a description left out and how to get it.
func infoNote(found, shown *deck.RecordingInfo) string {
	var cut tally
	channels := cut.count("channels", len(shown.Channels), len(found.Channels))
	cut.count("metadata", len(shown.Metadata), len(found.Metadata))
	cut.count("metadata_records", len(shown.MetadataRecords), len(found.MetadataRecords))
	cut.count("attachments", len(shown.Attachments), len(found.Attachments))
	cut.count("warnings", len(shown.Warnings), len(found.Warnings))
	cut.count("compression", len(shown.Compression), len(found.Compression))
	if shown.Library != found.Library || shown.Profile != found.Profile {
		cut = append(cut, fmt.Sprintf("library and profile end at %d bytes", mostValue))
	}
	if len(found.Metadata) > 0 {
		cut = append(cut, fmt.Sprintf("metadata values end at %d bytes", mostValue))
	}
	note := "Too long for one answer: " + cut.String() + "."
	if channels {
		note += " get_schema names the topics."
	}
	if len(found.Metadata) > 0 {
		note += " After load_recording, query _metadata for all metadata."
	}
	return note
}

package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"tapedeck/internal/deck"
)

// Answers are bounded so that they reach the agent: clients drop or cut a
// result that is too long for their context. What is promised is kept as long
// as possible; details go first, then whole entries, and a note tells how to
// get them. Results may be shared with other calls, so shrinking copies.

const (
	noteRoom       = 2000 // bytes kept free for the note, which a text may hold too, and for counts
	fewestChannels = 3    // a recording shows before recordings are left out
	mostProblems   = 20   // a list of recordings shows
	mostKeys       = 20   // of metadata, where a list of recordings is too long
)

// fitRecordings shrinks a list, which began at offset, until its recordings'
// text fits into room: first channels, the same number for all, then recordings.
func fitRecordings(found *deck.RecordingList, offset, room int) *deck.RecordingList {
	shown := *found
	shown.Recordings = slices.Clone(list(found.Recordings))
	for i := range shown.Recordings {
		r := &shown.Recordings[i]
		r.Channels, r.MetadataKeys = list(r.Channels), list(r.MetadataKeys)
	}
	shown.Problems = keepFirst(found.Problems, mostProblems)
	shown.ProblemsOmitted = len(found.Problems) - len(shown.Problems)

	channels := 0
	if size(shown.Recordings) > room {
		channels = cutRecordings(&shown, room-noteRoom)
	}
	end := offset + len(shown.Recordings)
	if len(shown.Recordings) > 0 && end < found.Total {
		shown.NextOffset = end
	}
	shown.Note = listNote(&shown, channels)
	return &shown
}

// cutRecordings leaves out what does not fit and returns how many channels each
// recording keeps at most.
func cutRecordings(shown *deck.RecordingList, room int) (channels int) {
	sizes := make([]recordingSize, len(shown.Recordings))
	longest := 0
	for i := range shown.Recordings {
		r := &shown.Recordings[i]
		keys := keepFirst(r.MetadataKeys, mostKeys)
		r.MetadataKeysOmitted, r.MetadataKeys = len(r.MetadataKeys)-len(keys), keys
		sizes[i] = measureRecording(*r)
		longest = max(longest, len(r.Channels))
	}
	total := func(recordings, channels int) (sum int) {
		for _, s := range sizes[:recordings] {
			sum += s.with(channels)
		}
		return sum
	}
	channels = mostThatFit(longest, func(n int) bool { return total(len(sizes), n) <= room })
	channels = max(channels, min(fewestChannels, longest))
	recordings := mostThatFit(len(sizes), func(n int) bool { return total(n, channels) <= room })
	if recordings == 0 {
		recordings, channels = 1, mostThatFit(longest, func(n int) bool { return total(1, n) <= room })
	}
	shown.Recordings = shown.Recordings[:recordings]
	for i := range shown.Recordings {
		r := &shown.Recordings[i]
		kept := keepFirst(r.Channels, channels)
		r.ChannelsOmitted, r.Channels = len(r.Channels)-len(kept), kept
	}
	return channels
}

// recordingSize knows how long a recording's text is with any number of channels.
type recordingSize struct {
	bare     int   // without channels, with the counts of what is left out
	channels []int // of the first n+1 channels
}

func measureRecording(r deck.RecordingSummary) recordingSize {
	channels := r.Channels
	r.Channels, r.ChannelsOmitted = []deck.ChannelSummary{}, len(channels)
	s := recordingSize{bare: size(r) + 1}
	sum := 0
	for _, c := range channels {
		sum += size(c) + 1
		s.channels = append(s.channels, sum)
	}
	return s
}

func (s recordingSize) with(channels int) int {
	if n := min(channels, len(s.channels)); n > 0 {
		return s.bare + s.channels[n-1]
	}
	return s.bare
}

// listNote says what a list left out and how to get it.
func listNote(l *deck.RecordingList, channels int) string {
	var note []string
	switch {
	case l.Total == 0 && len(l.Recordings) == 0:
		note = append(note, "No recording found: check path, after and before, or point the server's data folder to where the recordings are.")
	case len(l.Recordings) == 0:
		note = append(note, fmt.Sprintf("offset is past the last of %d recordings.", l.Total))
	}
	if l.NextOffset > 0 {
		note = append(note, fmt.Sprintf("%d of %d recordings shown: go on with offset=%d, or narrow with path, after or before.",
			len(l.Recordings), l.Total, l.NextOffset))
	}
	if slices.ContainsFunc(l.Recordings, func(r deck.RecordingSummary) bool { return r.ChannelsOmitted > 0 }) {
		note = append(note, fmt.Sprintf("Channels beyond the first %d of a recording are left out, channels_omitted counts them: "+
			"get_recording_info lists all of one file.", channels))
	}
	if n := len(l.Problems) + l.ProblemsOmitted; n > 0 {
		first := l.Problems[0]
		note = append(note, fmt.Sprintf("%d entries could not be read, the first: %s: %s",
			n, cutText(first.Path, 200), cutText(first.Reason, 200)))
	}
	return strings.Join(note, " ")
}

// fitSchema shrinks a schema until its text fits into room: first the
// descriptions of fields, then the fields of the topics with the most of them,
// then topics, which are still named.
func fitSchema(found *deck.RecordingSchema, room int) *deck.RecordingSchema {
	shown := *found
	shown.Topics = maps.Clone(table(found.Topics))
	for name, t := range shown.Topics {
		t.Fields = list(t.Fields)
		shown.Topics[name] = t
	}
	if size(&shown) <= room {
		return &shown
	}
	dropDescriptions(shown.Topics)
	shown.Note = "Descriptions of fields are left out: call get_schema with topic=NAME to read them."
	if size(&shown)+len(shown.Note) <= room {
		return &shown
	}
	shown.SkippedTopics = keepThatFit(found.SkippedTopics, room/10)
	frame := shown
	frame.Topics, frame.Note = map[string]deck.TopicSchema{}, ""
	room -= noteRoom + size(&frame)
	omitted := len(shown.Topics)
	shown.Topics, shown.Omitted = cutTopics(shown.Topics, room)
	omitted -= len(shown.Topics)
	shown.Note = schemaNote(&shown, omitted, len(found.SkippedTopics)-len(shown.SkippedTopics))
	return &shown
}

func dropDescriptions(topics map[string]deck.TopicSchema) {
	for name, t := range topics {
		t.Fields = slices.Clone(t.Fields)
		for i := range t.Fields {
			t.Fields[i].Description = ""
		}
		topics[name] = t
	}
}

// cutTopics keeps the topics that fit into room without their fields, up to
// nine tenths of it where some must go, and names the others. What room is left
// goes to fields, for the topics with the shortest lists first.
func cutTopics(topics map[string]deck.TopicSchema, room int) (kept map[string]deck.TopicSchema, omitted []string) {
	bare := make(map[string]deck.TopicSchema, len(topics))
	for name, t := range topics {
		t.FieldsOmitted, t.Fields = len(t.Fields), []deck.Field{}
		t.Warnings = keepThatFit(t.Warnings, 500)
		bare[name] = t
	}
	kept = bare
	if room -= size(bare); room < 0 {
		room += size(bare)
		kept = keepEntries(bare, room*9/10)
		room -= size(kept)
		var names []string
		for _, name := range slices.Sorted(maps.Keys(bare)) {
			if _, ok := kept[name]; !ok {
				names = append(names, name)
			}
		}
		omitted = keepThatFit(names, room)
		return kept, omitted
	}
	byLength := slices.Sorted(maps.Keys(kept))
	sort.SliceStable(byLength, func(i, j int) bool {
		return len(topics[byLength[i]].Fields) < len(topics[byLength[j]].Fields)
	})
	for _, name := range byLength {
		t, fields := kept[name], topics[name].Fields
		if len(kept) > 1 && size(fields) > room {
			break // whole lists only; those behind are longer still
		}
		t.Fields = keepThatFit(fields, room)
		t.FieldsOmitted -= len(t.Fields)
		room -= size(t.Fields)
		kept[name] = t
	}
	return kept, nil
}

// schemaNote says what a schema left out and how to get it.
func schemaNote(s *deck.RecordingSchema, topics, skipped int) string {
	note := []string{"Too long for one answer."}
	if topics > 0 {
		note = append(note, fmt.Sprintf("%d topics are left out, omitted names %d of them.", topics, len(s.Omitted)))
	}
	cut := 0
	for _, t := range s.Topics {
		if t.FieldsOmitted > 0 {
			cut++
		}
	}
	if cut > 0 {
		note = append(note, fmt.Sprintf("Fields of %d topics are left out, fields_omitted counts them.", cut))
	}
	if len(s.Topics) > 1 {
		note = append(note, "Descriptions are left out. Call get_schema with topic=NAME for all of one topic.")
	} else {
		note = append(note, "After load_recording, DESCRIBE lists all columns of a table.")
	}
	if skipped > 0 {
		note = append(note, fmt.Sprintf("%d more topics are skipped.", skipped))
	}
	return strings.Join(note, " ")
}

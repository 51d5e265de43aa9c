package mcpserver

import (
	"cmp"
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
	mostName       = 300  // bytes of a table's name in a note
)

// allTables is the query for names that an answer had no room for. Unlike a bare
// SHOW TABLES it takes a WHERE, LIMIT and OFFSET, if they need more than one answer.
const allTables = "FROM (SHOW TABLES)"

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

// fitSchema shrinks a schema until its text fits into room: first the topics that
// are skipped, then the descriptions of fields, then the fields of the topics with
// the most of them, then topics, which are still named.
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
	room -= noteRoom
	skipped := min(size(found.SkippedTopics), room/10) // they have this much at least
	shown.SkippedTopics = nil
	described := size(&shown)+skipped <= room
	if !described {
		dropDescriptions(shown.Topics)
	}
	if size(&shown)+skipped > room {
		frame := shown
		frame.Topics = map[string]deck.TopicSchema{}
		shown.Topics, shown.Omitted = cutTopics(shown.Topics, room-skipped-size(&frame))
	}
	shown.SkippedTopics = keepThatFit(found.SkippedTopics, room-size(&shown))
	shown.Note = schemaNote(found, &shown, described)
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

// cutTopics keeps the topics without their fields, if they fit into room, and
// gives what is left to fields, for the topics with the shortest lists first. If
// they don't fit it keeps as many as leave room for the names of the others.
func cutTopics(topics map[string]deck.TopicSchema, room int) (kept map[string]deck.TopicSchema, omitted []string) {
	bare := make(map[string]deck.TopicSchema, len(topics))
	for name, t := range topics {
		t.FieldsOmitted, t.Fields = len(t.Fields), []deck.Field{}
		t.Warnings = keepThatFit(t.Warnings, 500)
		bare[name] = t
	}
	if need := size(bare); need <= room {
		addFields(bare, topics, room-need)
		return bare, nil
	}
	return nameTopics(bare, room)
}

// addFields gives topics that stand without fields their whole lists, as far as
// these fit into room. A single topic gets a part.
func addFields(bare, topics map[string]deck.TopicSchema, room int) {
	byLength := slices.Sorted(maps.Keys(bare))
	sort.SliceStable(byLength, func(i, j int) bool {
		return len(topics[byLength[i]].Fields) < len(topics[byLength[j]].Fields)
	})
	for _, name := range byLength {
		t, fields := bare[name], topics[name].Fields
		if len(bare) > 1 && size(fields) > room {
			return // those behind are longer still
		}
		t.Fields = keepThatFit(fields, room)
		t.FieldsOmitted -= len(t.Fields)
		room -= size(t.Fields)
		bare[name] = t
	}
}

// nameTopics keeps the first topics and names the rest, as many as fit into room.
func nameTopics(bare map[string]deck.TopicSchema, room int) (kept map[string]deck.TopicSchema, omitted []string) {
	names := slices.Sorted(maps.Keys(bare))
	room -= len(`"omitted":[],{}`)
	sizes := make([]int, len(names)+1) // with the first n kept
	for _, name := range names {
		sizes[0] += size(name) + 1
	}
	for i, name := range names {
		sizes[i+1] = sizes[i] + size(bare[name]) + 1
	}
	n := mostThatFit(len(names), func(n int) bool { return sizes[n] <= room })
	kept = make(map[string]deck.TopicSchema, n)
	for _, name := range names[:n] {
		kept[name] = bare[name]
	}
	return kept, keepThatFit(names[n:], room-size(kept))
}

// schemaNote says what a schema left out and how to get it. described tells
// whether it has descriptions of fields.
func schemaNote(found, shown *deck.RecordingSchema, described bool) string {
	var cut tally
	cut.count("skipped_topics", len(shown.SkippedTopics), len(found.SkippedTopics))
	topics := len(found.Topics) - len(shown.Topics)
	if topics > 0 {
		cut = append(cut, fmt.Sprintf("%d topics are left out", topics))
	}
	unnamed := cut.count("omitted", len(shown.Omitted), topics)
	short := 0
	for _, t := range shown.Topics {
		if t.FieldsOmitted > 0 {
			short++
		}
	}
	if short > 0 {
		cut = append(cut, fmt.Sprintf("fields of %d topics are left out, fields_omitted counts them", short))
	}
	if !described {
		cut = append(cut, "descriptions are left out")
	}
	note := "Too long for one answer: " + cut.String() + "."
	switch {
	case len(found.Topics) > 1 && !described:
		note += " Call get_schema with topic=NAME for all of one topic."
	case short > 0:
		note += columnsNote(shown)
	}
	if unnamed {
		note += " After load_recording, query " + allTables + " for the names of all tables."
	}
	return note
}

// columnsNote says how to get the columns that a schema of one topic left out.
func columnsNote(s *deck.RecordingSchema) string {
	for _, t := range s.Topics {
		name := cmp.Or(t.SQLName, t.TableName)
		if len(name) > mostName {
			name = "TABLE"
		}
		return fmt.Sprintf(" After load_recording, query SELECT column_name, column_type FROM (DESCRIBE %s) OFFSET %d for the other columns.",
			name, len(t.Fields))
	}
	return ""
}

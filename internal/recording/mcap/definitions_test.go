package mcap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

// read is a message as the tests of definitions look at it: its time, and the
// topic and schema of the channel that it was read by.
func read(t *testing.T, f *file, sum *recording.Summary) []string {
	t.Helper()
	var list []string
	for _, m := range readAll(t, f, sum, recording.Selection{}).messages {
		schema := "-"
		if m.Channel.Schema != nil {
			schema = m.Channel.Schema.Name
		}
		list = append(list, fmt.Sprintf("%d %s %s", m.LogTime, m.Channel.Topic, schema))
	}
	return list
}

// TestRedefinedIDs has channel ids that change their meaning, in all the places
// where they can. Each message must be read by its own definition.
func TestRedefinedIDs(t *testing.T) {
	s1, s2 := schemaRecord(1, "S1", "int32 n"), schemaRecord(2, "S2", "string s")
	a, b := channelRecord(1, 1, "/a"), channelRecord(1, 2, "/b")
	m := func(at uint64) []byte { return messageRecord(1, at, "") }
	chunk := func(recs ...[]byte) []byte { return chunkRecord(t, zstdName, recs...) }
	for _, c := range []struct {
		name     string
		file     []byte
		want     []string
		channels int
	}{
		{"same again", fileOf(s1, a, m(1), s1, a, m(2), chunk(s1, a, m(3))), []string{"1 /a S1", "2 /a S1", "3 /a S1"}, 1},
		{"in a later chunk", fileOf(chunk(s1, s2, a, m(1)), chunk(b, m(2)), chunk(m(3))), []string{"1 /a S1", "2 /b S2", "3 /b S2"}, 2},
		{"in the same chunk", fileOf(chunk(s1, s2, a, m(1), b, m(2), a, m(3)), chunk(m(4))), []string{"1 /a S1", "2 /b S2", "3 /a S1", "4 /a S1"}, 2},
		{"and back in a later chunk", fileOf(chunk(s1, s2, a, m(1)), chunk(b, m(2)), chunk(m(3), a, m(4)), chunk(m(5))), []string{"1 /a S1", "2 /b S2", "3 /b S2", "4 /a S1", "5 /a S1"}, 2},
		{"between chunks", fileOf(s1, s2, a, chunk(m(1)), b, chunk(m(2)), m(3)), []string{"1 /a S1", "2 /b S2", "3 /b S2"}, 2},
		{"first message before the definition", fileOf(chunk(m(1)), chunk(s1, s2, m(2), a, m(3), b, m(4))), []string{"1 /a S1", "2 /a S1", "3 /a S1", "4 /b S2"}, 2},
		{"only the schema", fileOf(chunk(s1, a, m(1)), chunk(schemaRecord(1, "T1", "bool b"), a, m(2)), chunk(m(3))), []string{"1 /a S1", "2 /a T1", "3 /a T1"}, 2},
		{"schema after its channel", fileOf(chunk(a, m(1)), chunk(s1, a, m(2))), []string{"1 /a S1", "2 /a S1"}, 1},
		{"schema after all", fileOf(chunk(a, m(1)), s1), []string{"1 /a S1"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := openBytes(t, c.file)
			sum := summarise(t, f)
			if diff := cmp.Diff(c.want, read(t, f, sum)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if len(sum.Channels) != c.channels || sum.MessageCount != uint64(len(c.want)) {
				t.Errorf("%d channels, %d messages; want %d, %d", len(sum.Channels), sum.MessageCount, c.channels, len(c.want))
			}
			if warned := slices.Contains(codesOf(sum.Warnings), recording.WarnChannelRedefined); warned != (c.channels > 1) {
				t.Errorf("warnings %v", sum.Warnings)
			}
		})
	}
}

func TestSameTopicOnTwoChannels(t *testing.T) {
	f := openBytes(t, fileOf(
		schemaRecord(1, "S1", "int32 n"), schemaRecord(2, "S2", "string s"),
		channelRecord(7, 2, "/pose"), channelRecord(3, 1, "/pose"),
		messageRecord(3, 1, ""), messageRecord(7, 2, ""), messageRecord(3, 3, ""),
	))
	sum := summarise(t, f)
	if len(sum.Channels) != 2 || sum.Channels[0].ID != 3 || sum.Channels[1].ID != 7 || len(sum.Warnings) > 0 {
		t.Errorf("channels %+v, warnings %v", sum.Channels, sum.Warnings)
	}
	if diff := cmp.Diff([]string{"1 /pose S1", "2 /pose S2", "3 /pose S1"}, read(t, f, sum)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestTooManyDefinitions alternates an id between two meanings without end: the
// id is given up, the others are not.
func TestTooManyDefinitions(t *testing.T) {
	a, b := channelRecord(1, 0, "/a"), channelRecord(1, 0, "/b")
	var recs []byte
	for range maxRedefinitions/2 + 1 {
		recs = append(append(recs, a...), b...)
	}
	f := openBytes(t, fileOf(channelRecord(2, 0, "/other"), chunkRecord(t, zstdName, recs, messageRecord(1, 1, "")), messageRecord(2, 2, "")))
	sum := summarise(t, f)
	if diff := cmp.Diff([]string{"2 /other -"}, read(t, f, sum)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{recording.WarnTooManyDefinitions, recording.WarnUnknownChannel}, codesOf(sum.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

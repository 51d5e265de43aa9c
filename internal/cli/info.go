package cli

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/deck"
	"tapedeck/internal/recording"
)

func newInfo(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Show what a recording holds",
		Long: `Show what a recording says of itself: times, topics and their encodings,
metadata records, attachments. FILE is a path, or a name in one of the data
folders. Texts of more than 80 characters are cut; --json has all of them.

What is damaged is named on stderr, and the exit code is then 3.`,
		Example: `  tapedeck info drive_02.mcap
  tapedeck info drive_02.mcap --json | jq .metadata`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDeck(nil, func(s openedDeck) error {
				info, err := s.RecordingInfo(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					err = printJSON(a.out, info)
				} else {
					err = printInfo(a.out, info)
				}
				if err != nil {
					return err
				}
				return a.loss(warningTexts(info), slices.ContainsFunc(info.Warnings, recording.Warning.Loss))
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printInfo prints facts, topics, metadata and attachments, a table each.
func printInfo(w io.Writer, info *deck.RecordingInfo) error {
	tables := []*grid{factsTable(info), channelsTable(info)}
	if len(info.Metadata) > 0 {
		tables = append(tables, metadataTable(info))
	}
	if len(info.Attachments) > 0 {
		tables = append(tables, attachmentsTable(info))
	}
	return printTables(w, tables)
}

// printTables prints tables with an empty line between them.
func printTables(w io.Writer, tables []*grid) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := t.print(w); err != nil {
			return err
		}
	}
	return nil
}

func factsTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{{name: "RECORDING"}, {name: info.File}}}
	add := func(name, value string) {
		if value != "" {
			t.add(name, shorten(value))
		}
	}
	if info.Path != info.File {
		t.add("path", info.Path)
	}
	add("start (UTC)", clock(info.StartTime))
	add("end (UTC)", clock(info.EndTime))
	if info.TimeNote != "" {
		t.add("note", info.TimeNote)
	}
	add("seconds", seconds(info.DurationS))
	add("messages", group(info.MessageCount))
	add("size", size(info.SizeMB*(1<<20)))
	add("compression", strings.Join(info.Compression, ", "))
	add("profile", info.Profile)
	add("library", info.Library)
	return t
}

func channelsTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{
		{name: "TOPIC"}, {name: "MESSAGES", right: true}, {name: "MEAN SIZE", right: true}, {name: "ENCODING"}, {name: "SCHEMA"},
	}}
	for _, topic := range slices.Sorted(maps.Keys(info.Channels)) {
		c := info.Channels[topic]
		t.add(shorten(named(topic)), group(c.MessageCount), size(c.MeanBytes), shorten(encoding(c)), shorten(c.SchemaName))
	}
	return t
}

// encoding names how messages and their schema are written, and whether they
// can be read.
func encoding(c deck.ChannelInfo) string {
	text := c.MessageEncoding
	if c.SchemaEncoding != "" && c.SchemaEncoding != text {
		text += "/" + c.SchemaEncoding
	}
	if c.Decoder == "" {
		text += " (no decoder)"
	}
	return strings.TrimSpace(text)
}

// metadataTable has a row a value; records of one name are kept apart.
func metadataTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{{name: "METADATA"}, {name: "KEY"}, {name: "VALUE"}}}
	records := info.MetadataRecords
	if records == nil {
		for _, name := range slices.Sorted(maps.Keys(info.Metadata)) {
			records = append(records, deck.MetadataRecord{Name: name, Values: info.Metadata[name]})
		}
	}
	for _, r := range records {
		if len(r.Values) == 0 {
			t.add(shorten(named(r.Name)), "", "")
		}
		for _, key := range slices.Sorted(maps.Keys(r.Values)) {
			t.add(shorten(named(r.Name)), shorten(named(key)), shorten(r.Values[key]))
		}
	}
	return t
}

func attachmentsTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{{name: "ATTACHMENT"}, {name: "SIZE", right: true}, {name: "TYPE"}}}
	for _, at := range info.Attachments {
		t.add(shorten(named(at.Name)), size(float64(at.SizeBytes)), shorten(at.MediaType))
	}
	return t
}

func warningTexts(info *deck.RecordingInfo) []string {
	texts := make([]string, len(info.Warnings))
	for i, w := range info.Warnings {
		texts[i] = w.String()
	}
	return texts
}

package cli

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	"tapedeck/internal/recording"
)

func newInfo(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Show what a recording holds",
		Long: `Show what a recording says of itself: times, topics and their encodings, metadata
records, attachments. FILE is a path, or a name in one of the data folders.

What is damaged is named on stderr, and the exit code is then 3.`,
		Example: `  tapedeck info drive_02.mcap
  tapedeck info drive_02.mcap --json | jq .metadata`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDeck(nil, func(s session, _ *config.Config, _ *slog.Logger) error {
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
			t.add(name, value)
		}
	}
	add("path", info.Path)
	add("start", info.StartTime)
	add("end", info.EndTime)
	add("note", info.TimeNote)
	add("seconds", number(info.DurationS))
	add("messages", fmt.Sprint(info.MessageCount))
	add("MB", number(info.SizeMB))
	add("compression", strings.Join(info.Compression, ", "))
	add("profile", info.Profile)
	add("library", info.Library)
	return t
}

func channelsTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{
		{name: "TOPIC"}, {name: "SCHEMA"}, {name: "ENCODING"}, {name: "DECODER"},
		{name: "MESSAGES", right: true}, {name: "MEAN BYTES", right: true},
	}}
	for _, topic := range slices.Sorted(maps.Keys(info.Channels)) {
		c := info.Channels[topic]
		encoding := c.MessageEncoding
		if c.SchemaEncoding != "" && c.SchemaEncoding != encoding {
			encoding += "/" + c.SchemaEncoding
		}
		decoder := c.Decoder
		if decoder == "" {
			decoder = "none"
		}
		t.add(topic, c.SchemaName, encoding, decoder, fmt.Sprint(c.MessageCount), fmt.Sprintf("%.0f", c.MeanBytes))
	}
	return t
}

func metadataTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{{name: "METADATA"}, {name: "KEY"}, {name: "VALUE"}}}
	for _, record := range slices.Sorted(maps.Keys(info.Metadata)) {
		values := info.Metadata[record]
		for _, key := range slices.Sorted(maps.Keys(values)) {
			t.add(record, key, values[key])
		}
	}
	return t
}

func attachmentsTable(info *deck.RecordingInfo) *grid {
	t := &grid{columns: []column{{name: "ATTACHMENT"}, {name: "TYPE"}, {name: "BYTES", right: true}}}
	for _, at := range info.Attachments {
		t.add(at.Name, at.MediaType, fmt.Sprint(at.SizeBytes))
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

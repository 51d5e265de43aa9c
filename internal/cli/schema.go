package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/deck"
)

func newSchema(a *app) *cobra.Command {
	var topic string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema FILE",
		Short: "Show the tables and columns of a recording",
		Long: `Show the table that each topic of a recording becomes, with its columns and
their DuckDB types, without loading it.`,
		Example: `  tapedeck schema drive_02.mcap
  tapedeck schema drive_02.mcap --topic /imu`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDeck(nil, func(s openedDeck) error {
				schema, err := s.Schema(cmd.Context(), args[0], topic)
				if err != nil {
					return err
				}
				return a.printSchema(schema, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&topic, "topic", "", "only this `TOPIC`")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printSchema(schema *deck.RecordingSchema, asJSON bool) error {
	if asJSON {
		return printJSON(a.out, schema)
	}
	var tables []*grid
	for _, topic := range slices.Sorted(maps.Keys(schema.Topics)) {
		tables = append(tables, topicTable(topic, schema.Topics[topic]))
	}
	if err := printTables(a.out, tables); err != nil {
		return err
	}
	a.each(skippedTexts(schema.SkippedTopics), a.say)
	var warnings []string
	for _, topic := range slices.Sorted(maps.Keys(schema.Topics)) {
		for _, w := range schema.Topics[topic].Warnings {
			warnings = append(warnings, shorten(named(topic))+": "+strings.TrimPrefix(w, topic+": "))
		}
	}
	a.each(warnings, a.warn)
	return nil
}

// topicTable has a column a row, under a title that tells of the table.
func topicTable(topic string, s deck.TopicSchema) *grid {
	name := s.TableName
	if s.SQLName != "" {
		name = s.SQLName
	}
	about := []string{"topic " + shorten(named(topic)), count(s.MessageCount, "message", "messages")}
	if s.SchemaName != "" {
		about = append(about, s.SchemaName)
	}
	if s.Inferred {
		about = append(about, "columns inferred")
	}
	t := &grid{title: shorten(name) + ": " + strings.Join(about, ", "), columns: []column{{name: "COLUMN"}, {name: "TYPE"}, {name: "DESCRIPTION"}}}
	for _, f := range s.Fields {
		description := f.Description
		if f.OmittedByDefault {
			description = joinNonEmpty(description, "stands for a large BLOB; --blobs load brings it")
		}
		t.add(shorten(f.Name), shorten(f.Type), shorten(description))
	}
	return t
}

func joinNonEmpty(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

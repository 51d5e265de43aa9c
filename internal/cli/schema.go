package cli

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tapedeck/internal/config"
	"tapedeck/internal/deck"
)

func newSchema(a *app) *cobra.Command {
	var topic string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema FILE",
		Short: "Show the tables and columns of a recording",
		Long: `Show the table that each topic of a recording becomes, with its columns and their
DuckDB types, without loading it.`,
		Example: `  tapedeck schema drive_02.mcap
  tapedeck schema drive_02.mcap --topic /imu`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDeck(nil, func(s session, _ *config.Config, _ *slog.Logger) error {
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
	for _, s := range schema.SkippedTopics {
		a.note("no table for %s: %s", s.Topic, s.Reason)
	}
	for _, topic := range slices.Sorted(maps.Keys(schema.Topics)) {
		for _, w := range schema.Topics[topic].Warnings {
			a.warn(topic + ": " + w)
		}
	}
	return nil
}

// topicTable has a column a row; its heading names the table.
func topicTable(topic string, s deck.TopicSchema) *grid {
	name := s.TableName
	if s.SQLName != "" {
		name = s.SQLName
	}
	about := fmt.Sprintf("%s, %s", topic, count(s.MessageCount, "message", "messages"))
	if s.SchemaName != "" {
		about += ", " + s.SchemaName
	}
	if s.Inferred {
		about += ", columns inferred"
	}
	t := &grid{columns: []column{{name: name}, {name: "TYPE"}, {name: about}}}
	for _, f := range s.Fields {
		description := f.Description
		if f.OmittedByDefault {
			description = joinNonEmpty(description, "stands for a large BLOB; --blobs load brings it")
		}
		t.add(f.Name, f.Type, description)
	}
	return t
}

func joinNonEmpty(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tapedeck/internal/deck"
)

func newLoad(a *app) *cobra.Command {
	var options loadFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "load FILE",
		Short: "Make a recording's tables ahead of time",
		Long: `Decode a recording into tables and keep them in the cache, so that queries with
the same options find them made. Queries do this by themselves when needed.

Messages that can't be decoded and damage in the file are told on stderr, and
the exit code is then 3.`,
		Example: `  tapedeck load drive_02.mcap
  tapedeck load drive_02.mcap --topic /imu --downsample 10`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDeck(nil, func(s openedDeck) error {
				result, lost, err := a.load(cmd.Context(), s, options.request(args[0], ""))
				if err != nil {
					return err
				}
				if asJSON {
					err = printJSON(a.out, result)
				} else {
					err = loadTable(result).print(a.out)
				}
				a.each(skippedTexts(result.Skipped), a.say)
				return errors.Join(err, lost)
			})
		},
	}
	options.add(cmd.Flags())
	jsonFlag(cmd, &asJSON)
	return cmd
}

// skippedTexts tell which topics have no table and why, a line each.
func skippedTexts(skipped []deck.SkippedTopic) []string {
	texts := make([]string, len(skipped))
	for i, s := range skipped {
		texts[i] = "no table for " + shorten(named(s.Topic)) + ": " + s.Reason
	}
	return texts
}

// loadFlags are the options of a load.
type loadFlags struct {
	topics         []string
	start, end     string
	downsample     int
	blobs          string
	messageColumns bool
}

func (f *loadFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringArrayVar(&f.topics, "topic", nil, "load only this `TOPIC`; may be repeated")
	flags.StringVar(&f.start, "start", "", "load messages from this `TIME` on (ISO 8601 or epoch microseconds)")
	flags.StringVar(&f.end, "end", "", "load messages before this `TIME`")
	flags.IntVar(&f.downsample, "downsample", 0, "keep the first of every `N` messages of a topic")
	flags.StringVar(&f.blobs, "blobs", "", "`load|omit` BLOB columns; by default those of topics with large messages are left out")
	flags.BoolVar(&f.messageColumns, "message-columns", false, "add log_time_ns, publish_time_ns, sequence and channel_id")
}

func (f *loadFlags) request(file, alias string) deck.LoadRequest {
	return deck.LoadRequest{
		File: file, Alias: alias, Topics: f.topics, StartTime: f.start, EndTime: f.end,
		Downsample: f.downsample, MessageColumns: f.messageColumns, Blobs: f.blobs,
	}
}

// load loads a recording and tells what is worth knowing of it. Lost wraps
// errLoss when the tables lack something that the recording should hold.
func (a *app) load(ctx context.Context, s openedDeck, r deck.LoadRequest) (result *deck.LoadResult, lost, err error) {
	bar, report := a.progress()
	result, err = s.Load(ctx, r, report)
	bar.clear()
	if err != nil {
		return nil, nil, err
	}
	if len(result.ReplacedTables) > 0 {
		a.warn(fmt.Sprintf("%s replaced tables of another recording: %s; give each an alias with --load ALIAS=FILE",
			result.File, some(result.ReplacedTables)))
	}
	return result, a.loss(lossTexts(result), result.Lossy), nil
}

// lossTexts tell what a load lost or found odd, a line each.
func lossTexts(result *deck.LoadResult) []string {
	texts := slices.Clone(result.Warnings)
	for _, topic := range slices.Sorted(maps.Keys(result.Undecoded)) {
		u := result.Undecoded[topic]
		texts = append(texts, fmt.Sprintf("%s of %s could not be decoded: %s", count(u.Messages, "message", "messages"), topic, u.Reason))
	}
	for i, text := range texts {
		texts[i] = result.File + ": " + text
	}
	return texts
}

// loss shows warnings, and returns an error that wraps errLoss when they tell of loss.
func (a *app) loss(warnings []string, lossy bool) error {
	a.each(warnings, a.warn)
	if !lossy {
		return nil
	}
	return fmt.Errorf("%w: %s above", errLoss, count(len(warnings), "warning", "warnings"))
}

func loadTable(result *deck.LoadResult) *grid {
	t := &grid{columns: []column{{name: "TABLE"}, {name: "TOPIC"}, {name: "ROWS", right: true}, {name: "COLUMNS", right: true}, {name: "LEFT OUT"}}}
	for _, name := range slices.Sorted(maps.Keys(result.Tables)) {
		l := result.Tables[name]
		t.add(shorten(name), shorten(named(l.Topic)), group(l.Rows), group(l.Columns), some(l.OmittedColumns))
	}
	return t
}

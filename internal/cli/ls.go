package cli

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/config"
	"tapedeck/internal/deck"
)

func newLs(a *app) *cobra.Command {
	var request deck.ListRequest
	var asJSON, topics bool
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List recordings",
		Long: `List the recordings in the data folders, or in the folder PATH, by start time.

What can't be read is named on stderr, and the exit code is then 3.`,
		Example: `  tapedeck ls
  tapedeck ls ~/recordings --after 2025-06-01 --topics
  tapedeck ls --json | jq '.recordings[].path'`,
		Args: nArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				request.Path = args[0]
			}
			return a.withDeck(nil, func(s session, _ *config.Config, _ *slog.Logger) error {
				bar, report := a.progress()
				list, err := s.ListRecordings(cmd.Context(), request, report)
				bar.clear()
				if err != nil {
					return err
				}
				return a.printList(list, request, asJSON, topics)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&request.After, "after", "", "only recordings that end at or after this `TIME` (ISO 8601)")
	flags.StringVar(&request.Before, "before", "", "only recordings that start at or before this `TIME`")
	flags.IntVar(&request.Offset, "offset", 0, "leave out the first `N`")
	flags.IntVar(&request.Limit, "limit", 0, "list at most `N`")
	flags.BoolVar(&topics, "topics", false, "list the topics of each recording too")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printList(list *deck.RecordingList, request deck.ListRequest, asJSON, topics bool) error {
	if asJSON {
		if err := printJSON(a.out, list); err != nil {
			return err
		}
	} else if err := listTable(list, topics).print(a.out); err != nil {
		return err
	}
	for _, p := range list.Problems {
		a.warn(p.Path + ": " + p.Reason)
	}
	if next := request.Offset + len(list.Recordings); next < list.Total {
		a.note("%d of %d recordings; go on with --offset %d", len(list.Recordings), list.Total, next)
	}
	if len(list.Problems) > 0 {
		return fmt.Errorf("%w: %s", errLoss, count(len(list.Problems), "entry", "entries"))
	}
	return nil
}

func listTable(list *deck.RecordingList, topics bool) *grid {
	t := &grid{columns: []column{
		{name: "FILE"}, {name: "START"}, {name: "SECONDS", right: true}, {name: "MB", right: true},
		{name: "MESSAGES", right: true}, {name: "TOPICS", right: !topics},
	}}
	for _, r := range list.Recordings {
		last := fmt.Sprint(len(r.Channels))
		if topics {
			last = topicNames(r.Channels)
		}
		t.add(r.File, r.StartTime, number(r.DurationS), number(r.SizeMB), fmt.Sprint(r.MessageCount), last)
	}
	return t
}

func topicNames(channels []deck.ChannelSummary) string {
	names := make([]string, len(channels))
	for i, c := range channels {
		names[i] = c.Topic
	}
	return strings.Join(names, " ")
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

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
			return a.withDeck(nil, func(s openedDeck) error {
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
	flags.IntVar(&request.Offset, "offset", 0, "leave out the first `N` recordings")
	flags.IntVar(&request.Limit, "limit", 0, "list at most `N` recordings; 0 lists all")
	flags.BoolVar(&topics, "topics", false, "list the topics of each recording too")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printList(list *deck.RecordingList, request deck.ListRequest, asJSON, topics bool) error {
	if asJSON {
		if err := printJSON(a.out, list); err != nil {
			return err
		}
	} else if err := a.printRecordings(list, topics); err != nil {
		return err
	}
	a.each(problemTexts(list.Problems), a.warn)
	if next := request.Offset + len(list.Recordings); next < list.Total {
		a.note("%s of %s; go on with --offset %d", group(len(list.Recordings)), count(list.Total, "recording", "recordings"), next)
	}
	if len(list.Problems) > 0 {
		return fmt.Errorf("%w: %s", errLoss, count(len(list.Problems), "entry", "entries"))
	}
	return nil
}

func problemTexts(problems []deck.Problem) []string {
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Path + ": " + p.Reason
	}
	return texts
}

func (a *app) printRecordings(list *deck.RecordingList, topics bool) error {
	if len(list.Recordings) > 0 {
		return listTable(list, topics).print(a.out)
	}
	if list.Total == 0 && len(list.Problems) == 0 {
		a.note("no recordings found: name a folder, or set --data-dir")
	}
	return nil
}

// listTable has what varies in width at the end, where a narrow terminal breaks
// lines: the file, and the names of the topics when they are wanted.
func listTable(list *deck.RecordingList, topics bool) *grid {
	t := &grid{columns: []column{
		{name: "START (UTC)"}, {name: "SECONDS", right: true}, {name: "SIZE", right: true}, {name: "MESSAGES", right: true},
	}}
	if topics {
		t.columns = append(t.columns, column{name: "FILE"}, column{name: "TOPICS"})
	} else {
		t.columns = append(t.columns, column{name: "TOPICS", right: true}, column{name: "FILE"})
	}
	for _, r := range list.Recordings {
		row := []string{clock(r.StartTime), seconds(r.DurationS), size(r.SizeMB * (1 << 20)), group(r.MessageCount)}
		if topics {
			row = append(row, r.File, topicNames(r.Channels))
		} else {
			row = append(row, group(len(r.Channels)), r.File)
		}
		t.add(row...)
	}
	return t
}

// topicNames lists the topics of a recording, as far as people read a list.
func topicNames(channels []deck.ChannelSummary) string {
	names := make([]string, len(channels))
	for i, c := range channels {
		names[i] = shorten(named(c.Topic))
	}
	return some(names)
}

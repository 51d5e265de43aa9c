package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func newSessions(a *app) *cobra.Command {
	return newGroup("sessions", "List, read and tidy the sessions of AI agents",
		newSessionsLs(a), newSessionsShow(a), newSessionsExport(a), newSessionsRm(a), newSessionsRename(a))
}

// sessionsListed is how many sessions are listed unless the caller says otherwise.
const sessionsListed = 50

func newSessionsLs(a *app) *cobra.Command {
	var request archive.ListRequest
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List sessions, the last active first",
		Long: `List the sessions that the flags choose, the last active first. Those of
sub-agents, and those that an agent keeps for itself, are left out unless asked
for. Tokens and cost are a session's own; ≥ stands where they may be more,
because the log or the price of a model is not known.

TIME is RFC 3339, a date, or an age such as 36h, 7d or 2w.`,
		Example: `  tapedeck sessions ls --since 7d --project tapedeck
  tapedeck sessions ls --sort cost --limit 10
  tapedeck sessions ls --all --json | jq -r '.sessions[].session_id'`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case all && cmd.Flags().Changed("limit"):
				return usageError(cmd, errors.New("--all and --limit contradict one another"))
			case request.Limit < 1:
				return usageError(cmd, errors.New("--limit must be 1 or more; --all lists all"))
			case all:
				request.Limit = 0
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				list, err := listSessions(cmd.Context(), ops, request)
				if err != nil {
					return err
				}
				return a.printSessions(list, asJSON)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&request.Since, "since", "", "active at or after this `TIME`")
	flags.StringVar(&request.Until, "until", "", "active before this `TIME`")
	flags.StringVar(&request.Project, "project", "", "of the project, or working folder, `NAME`")
	flags.StringVar(&request.Harness, "agent", "", "of the agent `NAME`, such as claude-code")
	flags.StringVar(&request.Model, "model", "", "in which the model `NAME` took part")
	flags.StringVar(&request.Status, "status", "", "whose last turn ended as `STATUS`: ok, error, interrupted, pending or unknown")
	flags.StringVar(&request.Title, "title", "", "with `TEXT` in their title")
	flags.BoolVar(&request.Subagents, "subagents", false, "with the sessions of sub-agents")
	flags.BoolVar(&request.Internal, "internal", false, "with those that an agent keeps for itself")
	flags.StringVar(&request.Sort, "sort", string(store.SortActive), "order by `WORD`: "+sortWords())
	flags.BoolVar(&request.Ascending, "ascending", false, "the least first")
	flags.IntVar(&request.Limit, "limit", sessionsListed, "list at most `N` sessions")
	flags.StringVar(&request.Cursor, "cursor", "", "go on where an earlier list ended, at `CURSOR`")
	flags.BoolVar(&all, "all", false, "list all sessions")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func sortWords() string {
	words := make([]string, len(store.SessionSorts))
	for i, s := range store.SessionSorts {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// listSessions collects pages until there are as many sessions as the request's
// limit says; 0: all.
func listSessions(ctx context.Context, ops archive.Operations, r archive.ListRequest) (*archive.SessionList, error) {
	list := &archive.SessionList{Sessions: []archive.SessionItem{}}
	wanted := r.Limit
	for {
		r.Limit = store.MaxLimit
		if wanted > 0 {
			r.Limit = min(wanted-len(list.Sessions), store.MaxLimit)
		}
		part, err := ops.ListSessions(ctx, r)
		if err != nil {
			return nil, err
		}
		list.Sessions = append(list.Sessions, part.Sessions...)
		list.Total, list.NextCursor, r.Cursor = part.Total, part.NextCursor, part.NextCursor
		if list.NextCursor == "" || wanted > 0 && len(list.Sessions) >= wanted {
			return list, nil
		}
	}
}

func (a *app) printSessions(list *archive.SessionList, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, list); err != nil {
			return err
		}
	} else if len(list.Sessions) > 0 {
		t := sessionsTable(list.Sessions, time.Now())
		t.narrow(terminalWidth(a.out))
		if err := t.print(a.out); err != nil {
			return err
		}
	}
	switch {
	case list.Total == 0:
		a.note("no sessions found: leave flags out, or take sessions in with tapedeck import")
	case list.NextCursor != "":
		a.note("%s of %s; go on with --cursor %s, or list all with --all",
			group(len(list.Sessions)), count(list.Total, "session", "sessions"), list.NextCursor)
	}
	return nil
}

// sessionsTable has the title at the end, where it can be cut.
func sessionsTable(sessions []archive.SessionItem, now time.Time) *grid {
	t := &grid{columns: []column{
		{name: "ID"}, {name: "ACTIVE", right: true}, {name: "AGENT"}, {name: "PROJECT"}, {name: "TURNS", right: true},
		{name: "TOKENS", right: true}, {name: "COST", right: true}, {name: "TITLE"},
	}}
	short := shortIDs(sessions)
	for i, s := range sessions {
		title := s.DisplayTitle
		if s.Parent != nil && s.Parent.Relation == session.Subagent {
			title = "↳ " + strings.TrimSpace(s.AgentType+" "+title)
		}
		t.add(short[i], age(s.EndedAt, now), s.Harness, shorten(s.Project), group(s.Counts.Traces),
			tokens(s.Usage), cost(s.Usage), shorten(title))
	}
	return t
}

// shortID is as much of an identifier as tells most sessions apart.
const shortID = 8

// shortIDs are the beginnings of identifiers, long enough to tell them apart.
func shortIDs(sessions []archive.SessionItem) []string {
	for n := shortID; ; n++ {
		short, seen, again := make([]string, len(sessions)), map[string]string{}, false
		for i, s := range sessions {
			short[i] = s.ID[:min(n, len(s.ID))]
			again = again || cmp.Or(seen[short[i]], s.ID) != s.ID
			seen[short[i]] = s.ID
		}
		if !again {
			return short
		}
	}
}

// age is how long ago something was, in one unit.
func age(at session.Time, now time.Time) string {
	if at == 0 {
		return "?"
	}
	ago := now.Sub(at.Std())
	switch {
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return group(int(ago.Minutes())) + "m"
	case ago < 24*time.Hour:
		return group(int(ago.Hours())) + "h"
	}
	return group(int(ago.Hours()/24)) + "d"
}

package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func newStats(a *app) *cobra.Command {
	var request archive.StatsRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Sum up what the sessions of AI agents took",
		Long: `Sum up prompts, tool calls, tokens by kind and cost of all sessions, those of
sub-agents with them: in all, and by day (UTC), model, project or agent. ≥ stands
where a number may be more, because a log or the price of a model is not known;
? where nothing has a price.

TIME is RFC 3339, a date, or an age such as 36h, 7d or 2w.`,
		Example: `  tapedeck stats --by day --since 30d
  tapedeck stats --by model --project tapedeck --json`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				stats, err := ops.Stats(cmd.Context(), request)
				if err != nil {
					return err
				}
				return a.printStats(stats, asJSON)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&request.By, "by", "", "sums for each `GROUP` too: day, model, project or harness")
	flags.StringVar(&request.Since, "since", "", "what was at or after this `TIME`")
	flags.StringVar(&request.Until, "until", "", "what was before this `TIME`")
	flags.StringVar(&request.Project, "project", "", "of the project, or working folder, `NAME`")
	flags.StringVar(&request.Harness, "agent", "", "of the agent `NAME`, such as claude-code")
	flags.StringVar(&request.Model, "model", "", "of the model `NAME`")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printStats(stats *archive.StatsList, asJSON bool) error {
	if asJSON {
		return printJSON(a.out, stats)
	}
	if stats.Total.Sessions == 0 {
		a.note("no sessions found: leave flags out, or take sessions in with tapedeck import")
		return nil
	}
	return statsTable(stats).print(a.out)
}

// statsHeads are what the groups of stats are called.
var statsHeads = map[store.StatsBy]string{
	store.ByDay: "DAY (UTC)", store.ByModel: "MODEL", store.ByProject: "PROJECT", store.ByHarness: "AGENT", store.ByNothing: "",
}

func statsTable(stats *archive.StatsList) *grid {
	t := &grid{columns: []column{
		{name: statsHeads[stats.By]}, {name: "SESSIONS", right: true}, {name: "PROMPTS", right: true}, {name: "TOOL CALLS", right: true},
		{name: "FAILED", right: true}, {name: "INPUT", right: true}, {name: "CACHE READ", right: true}, {name: "CACHE WRITE", right: true},
		{name: "OUTPUT", right: true}, {name: "TOKENS", right: true}, {name: "COST", right: true},
	}}
	for _, row := range stats.Groups {
		t.addStats(cmp.Or(row.Key, "unknown"), row)
	}
	t.addStats("total", stats.Total)
	return t
}

func (t *grid) addStats(key string, row store.StatsRow) {
	u := row.Usage
	kind := func(n int64) string { return tokens(session.Usage{InputTokens: n, Partial: u.Partial && n > 0}) }
	t.add(shorten(key), group(row.Sessions), group(row.Prompts), group(row.ToolCalls), group(row.ToolErrors),
		kind(u.InputTokens), kind(u.CacheReadTokens), kind(u.CacheWriteTokens), kind(u.OutputTokens), tokens(u), cost(u))
}

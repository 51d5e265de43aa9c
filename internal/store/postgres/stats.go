package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// groups are what stats are grouped by.
var groups = map[store.StatsBy]string{
	store.ByDay:     "day",
	store.ByModel:   "model",
	store.ByProject: "project",
	store.ByHarness: "harness",
}

const dayCounts = "prompts, messages, tool_calls, tool_errors"

// sums are the sums of columns, over all rows: of flags, whether one is
// set. What no bigint holds is the largest one.
func sums(columns string) string {
	list := split(columns)
	for i, name := range list {
		switch name {
		case "partial", "unpriced":
			list[i] = fmt.Sprintf("coalesce(bool_or(%s), false)", name)
		default:
			list[i] = fmt.Sprintf("least(coalesce(sum(%s), 0), %d)::bigint", name, math.MaxInt64)
		}
	}
	return strings.Join(list, ", ")
}

// Stats implements store.Reader.
func (s *Store) Stats(ctx context.Context, f store.SessionFilter, by store.StatsBy) (store.Stats, error) {
	stats := store.Stats{By: by, Groups: []store.StatsRow{}}
	if by != store.ByNothing && groups[by] == "" {
		return stats, fmt.Errorf("no grouping of stats: %q", by)
	}
	err := s.read(ctx, func(tx pgx.Tx) error {
		total, err := selectStats(ctx, tx, f, store.ByNothing)
		if err != nil {
			return err
		}
		stats.Total = total[0]
		if by != store.ByNothing {
			stats.Groups, err = selectStats(ctx, tx, f, by)
		}
		return err
	})
	slices.SortFunc(stats.Groups, func(a, b store.StatsRow) int {
		if by == store.ByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Usage.Total(), a.Usage.Total()), cmp.Compare(a.Key, b.Key))
	})
	return stats, err
}

// chosenDays are the conditions of a filter on the days of sessions.
func chosenDays(f store.SessionFilter) conditions {
	var c conditions
	first, last := f.Days()
	if first != "" {
		c.add("day >= $", first)
	}
	if last != "" {
		c.add("day <= $", last)
	}
	if first != "" || last != "" {
		c.add("day <> ''")
	}
	if f.Model != "" {
		c.add("model_folded = $", folded(f.Model))
	}
	if f.Project != "" {
		c.add("(project_folded = $ OR cwd_folded = $)", folded(f.Project))
	}
	if f.Harness != "" {
		c.add("harness = $", session.Clean(f.Harness))
	}
	return c
}

// distinctSessions is how many sessions have a share in a group. Rows that are the
// first of their session there tell without sorting, unless a filter leaves out
// some of a session's rows.
func distinctSessions(f store.SessionFilter, by store.StatsBy) string {
	days, models := f.Since != 0 || f.Until != 0, f.Model != ""
	switch {
	case by == store.ByDay && !models:
		return "count(*) FILTER (WHERE first_of_day)"
	case by == store.ByModel && !days:
		return "count(*) FILTER (WHERE first_of_model)"
	case by != store.ByDay && by != store.ByModel && !days && !models:
		return "count(*) FILTER (WHERE first)"
	}
	return "count(DISTINCT session)"
}

// selectStats sums up days by what they are grouped by; by nothing gives one row.
func selectStats(ctx context.Context, tx pgx.Tx, f store.SessionFilter, by store.StatsBy) ([]store.StatsRow, error) {
	key, group := "''", ""
	if by != store.ByNothing {
		key, group = groups[by], " GROUP BY 1"
	}
	where := chosenDays(f)
	rows, err := tx.Query(ctx, "SELECT "+key+" AS key, "+distinctSessions(f, by)+", "+sums(dayCounts)+", "+sums(usageColumns)+
		" FROM tapedeck.day"+where.sql()+group, where.args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]store.StatsRow{}, rows, func(row pgx.CollectableRow) (store.StatsRow, error) {
		var r store.StatsRow
		err := row.Scan(append([]any{&r.Key, &r.Sessions, &r.Prompts, &r.Messages, &r.ToolCalls, &r.ToolErrors}, usageFields(&r.Usage)...)...)
		return r, err
	})
}

package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// A model is what a store should answer, worked out by the simplest means.
type model []session.ProjectedSession

// sessions are the identifiers that a filter chooses, in order.
func (m model) sessions(f store.SessionFilter) []string {
	var chosen []session.Session
	for _, p := range m {
		if chooses(f, p.Session) {
			chosen = append(chosen, p.Session)
		}
	}
	order, _ := f.Order()
	slices.SortFunc(chosen, func(a, b session.Session) int {
		if order == store.SortTitle {
			return cmp.Or(strings.Compare(shownTitle(a), shownTitle(b)), strings.Compare(a.ID, b.ID))
		}
		return cmp.Or(cmp.Compare(rank(order, a), rank(order, b)), strings.Compare(a.ID, b.ID))
	})
	if !f.Ascending {
		slices.Reverse(chosen)
	}
	ids := []string{}
	for _, s := range chosen {
		ids = append(ids, s.ID)
	}
	return ids
}

func shownTitle(s session.Session) string { return store.Fold(cmp.Or(s.DisplayName, s.Title)) }

func rank(order store.SessionSort, s session.Session) int64 {
	switch order {
	case store.SortStarted:
		return int64(s.StartedAt)
	case store.SortCost:
		return int64(s.Usage.Cost)
	case store.SortTokens:
		return s.Usage.Total()
	case store.SortTraces:
		return s.Counts.Traces
	case store.SortDuration:
		return store.Duration(s)
	}
	return int64(s.EndedAt)
}

func chooses(f store.SessionFilter, s session.Session) bool {
	fold := store.Fold
	subagent := s.Parent != nil && s.Parent.Relation == session.Subagent
	switch {
	case subagent && !f.Children,
		s.Internal && !f.Internal,
		f.Since != 0 && (s.EndedAt == 0 || s.EndedAt < f.Since),
		f.Until != 0 && (s.StartedAt == 0 || s.StartedAt >= f.Until),
		f.Harness != "" && s.Harness != f.Harness,
		f.Status != "" && s.Status != f.Status,
		f.Project != "" && fold(s.Project) != fold(f.Project) && fold(s.Cwd) != fold(f.Project),
		f.Title != "" && !strings.Contains(fold(s.Title), fold(f.Title)) && !strings.Contains(fold(s.DisplayName), fold(f.Title)):
		return false
	}
	return f.Model == "" || slices.ContainsFunc(s.Models, func(m session.ModelUsage) bool { return fold(m.Model) == fold(f.Model) })
}

// stats are the sums that a filter chooses.
func (m model) stats(f store.SessionFilter, by store.StatsBy) store.Stats {
	first, last := f.Days()
	total, groups := store.StatsRow{}, map[string]*store.StatsRow{}
	for _, p := range m {
		inTotal, inGroup := false, map[string]bool{}
		for _, d := range p.Daily {
			switch fold := store.Fold; {
			case first != "" && d.Day < first, last != "" && (d.Day > last || d.Day == ""),
				f.Harness != "" && p.Session.Harness != f.Harness,
				f.Project != "" && fold(p.Session.Project) != fold(f.Project) && fold(p.Session.Cwd) != fold(f.Project),
				f.Model != "" && fold(d.Model) != fold(f.Model):
				continue
			}
			key := map[store.StatsBy]string{
				store.ByDay: d.Day, store.ByModel: d.Model, store.ByProject: p.Session.Project, store.ByHarness: p.Session.Harness,
			}[by]
			if groups[key] == nil {
				groups[key] = &store.StatsRow{Key: key}
			}
			addDay(&total, d, !inTotal)
			addDay(groups[key], d, !inGroup[key])
			inTotal, inGroup[key] = true, true
		}
	}
	stats := store.Stats{Total: total, By: by, Groups: []store.StatsRow{}}
	if by != store.ByNothing {
		for _, g := range groups {
			stats.Groups = append(stats.Groups, *g)
		}
	}
	slices.SortFunc(stats.Groups, func(a, b store.StatsRow) int {
		if by == store.ByDay {
			return strings.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Usage.Total(), a.Usage.Total()), strings.Compare(a.Key, b.Key))
	})
	return stats
}

func addDay(row *store.StatsRow, d session.DayUsage, newSession bool) {
	if newSession {
		row.Sessions++
	}
	row.Prompts += d.Prompts
	row.Messages += d.Messages
	row.ToolCalls += d.ToolCalls
	row.ToolErrors += d.ToolErrors
	row.Usage.Add(d.Usage)
}

// variety are sessions of many sorts, each in a stream of its own.
func variety(n int) map[session.Ref]session.Projection {
	random := rand.New(rand.NewPCG(11, 12))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	projections := map[session.Ref]session.Projection{}
	for i := range n {
		r := session.Ref{Harness: pick("claude-code", "codex", "gemini"), Key: fmt.Sprint("session ", i)}
		var turns []turn
		for j := range random.IntN(4) {
			turns = append(turns, turn{
				prompt: pick("Fix the TEST", "Über die Größe", "100% _done_", "Ж", ""),
				model:  pick("claude-a", "Claude-A", "gpt-5", ""),
				at:     day0 + session.Time(random.IntN(6))*day + session.Time(j),
				tokens: int64(random.IntN(5)), tools: random.IntN(2),
			})
		}
		slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
		p := derived(r, turns...)
		s := &p.Sessions[0].Session
		s.Project = pick("Café", "CAFÉ", "tapedeck", "")
		s.Cwd = "/home/" + s.Project
		s.Status = session.Status(pick("ok", "error", "pending"))
		s.Internal = random.IntN(8) == 0
		switch random.IntN(5) {
		case 0:
			asSubagentOf(p, ref("parent"))
		case 1:
			s.Parent = &session.Origin{SessionID: ref("parent").SessionID(), Relation: session.Fork}
		}
		projections[r] = p
	}
	return projections
}

// modelOf are the sessions of projections.
func modelOf(projections map[session.Ref]session.Projection) model {
	var m model
	for _, p := range projections {
		m = append(m, p.Sessions...)
	}
	return m
}

package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tapedeck/internal/store"
)

// Stats are sums over sessions' days.
func (s *Store) Stats(ctx context.Context, f store.SessionFilter, by store.StatsBy) (store.Stats, error) {
	if !slices.Contains([]store.StatsBy{store.ByNothing, store.ByDay, store.ByModel, store.ByProject, store.ByHarness}, by) {
		return store.Stats{}, fmt.Errorf("no grouping of stats: %q", by)
	}
	t := newTally(f, by)
	var chosen conditions
	if f.Harness != "" {
		chosen.add("harness = ?", f.Harness)
	}
	if f.Project != "" {
		project := store.Fold(f.Project)
		chosen.add("session IN (SELECT id FROM session WHERE project_fold = ? OR cwd_fold = ?)", project, project)
	}
	column := map[store.StatsBy]string{store.ByProject: "project", store.ByHarness: "harness"}[by]
	if column == "" {
		column = "''"
	}
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT "+column+", shares FROM daily"+chosen.where(), chosen.args, func(r *row) error {
			t.session(r.text(), r.blob())
			return nil
		})
	})
	return t.stats(), err
}

// tally sums up sessions' shares.
type tally struct {
	by          store.StatsBy
	first, last string // of the days that are wanted
	model       string // folded; "": any
	models      map[string]bool
	total       group
	groups      map[string]*group
	seen        int64 // number of the session
}

// group is a sum, with the number of the last session that had a share in it.
type group struct {
	store.StatsRow
	seen int64
}

func newTally(f store.SessionFilter, by store.StatsBy) *tally {
	t := &tally{by: by, model: store.Fold(f.Model), models: map[string]bool{}, groups: map[string]*group{}}
	t.first, t.last = f.Days()
	return t
}

// session adds a session's shares. key is that of its group, where that goes by
// session.
func (t *tally) session(key string, packed []byte) {
	t.seen++
	for s := newShares(packed); s.next(); {
		if !t.wants(s) {
			continue
		}
		t.total.add(s, t.seen)
		switch t.by {
		case store.ByNothing:
		case store.ByDay:
			t.group(s.day).add(s, t.seen)
		case store.ByModel:
			t.group(s.model).add(s, t.seen)
		default:
			t.group([]byte(key)).add(s, t.seen)
		}
	}
}

func (t *tally) wants(s *shares) bool {
	if t.first != "" && string(s.day) < t.first || t.last != "" && (len(s.day) == 0 || string(s.day) > t.last) {
		return false
	}
	if t.model == "" {
		return true
	}
	wanted, known := t.models[string(s.model)]
	if !known {
		wanted = store.Fold(string(s.model)) == t.model
		t.models[string(s.model)] = wanted
	}
	return wanted
}

func (t *tally) group(key []byte) *group {
	g := t.groups[string(key)]
	if g == nil {
		g = &group{StatsRow: store.StatsRow{Key: string(key)}}
		t.groups[g.Key] = g
	}
	return g
}

func (g *group) add(s *shares, session int64) {
	if g.seen != session {
		g.seen = session
		g.Sessions++
	}
	g.Prompts += s.prompts
	g.Messages += s.messages
	g.ToolCalls += s.toolCalls
	g.ToolErrors += s.toolErrors
	g.Usage.Add(s.usage)
}

func (t *tally) stats() store.Stats {
	stats := store.Stats{Total: t.total.StatsRow, By: t.by, Groups: make([]store.StatsRow, 0, len(t.groups))}
	for _, g := range t.groups {
		stats.Groups = append(stats.Groups, g.StatsRow)
	}
	slices.SortFunc(stats.Groups, func(a, b store.StatsRow) int {
		if t.by == store.ByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Usage.Total(), a.Usage.Total()), cmp.Compare(a.Key, b.Key))
	})
	return stats
}

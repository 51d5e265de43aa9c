package archive

import (
	"context"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// statsGroups are what stats can be grouped by.
var statsGroups = []store.StatsBy{store.ByDay, store.ByModel, store.ByProject, store.ByHarness}

// Stats are sums over the sessions that r chooses.
func (a *Archive) Stats(ctx context.Context, r StatsRequest) (*StatsList, error) {
	by, err := oneOf("by", r.By, statsGroups)
	if err != nil {
		return nil, err
	}
	if err := a.checkHarness(r.Harness); err != nil {
		return nil, err
	}
	filter := store.SessionFilter{Project: session.Folder(r.Project), Harness: r.Harness, Model: r.Model}
	if filter.Since, filter.Until, err = parseWindow(r.Since, r.Until); err != nil {
		return nil, err
	}
	stats, err := a.store.Stats(ctx, filter, by)
	if err != nil {
		return nil, storeError(err)
	}
	return groupsOf(stats, r.PageRequest)
}

// groupsOf cuts out the part of the groups that a caller asks for.
func groupsOf(stats store.Stats, r PageRequest) (*StatsList, error) {
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	listing := "stats by " + string(stats.By)
	position, err := page.After(listing, 1, 0)
	if err != nil {
		return nil, storeError(err)
	}
	list := &StatsList{Stats: stats, GroupsTotal: int64(len(stats.Groups))}
	first := 0
	if position != nil {
		first = int(min(max(position.Numbers[0], 0), list.GroupsTotal))
	}
	list.Groups = emptied(stats.Groups[first:])
	if r.Limit > 0 && len(list.Groups) > r.Limit {
		list.Groups = list.Groups[:r.Limit]
		list.NextCursor = store.Position{Numbers: []int64{int64(first + r.Limit)}}.Cursor(listing)
	}
	return list, nil
}

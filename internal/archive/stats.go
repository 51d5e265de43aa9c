package archive

import (
	"context"

	"tapedeck/internal/store"
)

// statsGroups are what stats can be grouped by.
var statsGroups = []store.StatsBy{store.ByDay, store.ByModel, store.ByProject, store.ByHarness}

// Stats are sums over the sessions that r chooses.
func (a *Archive) Stats(ctx context.Context, r StatsRequest) (*store.Stats, error) {
	by, err := oneOf("by", r.By, statsGroups)
	if err != nil {
		return nil, err
	}
	if err := a.checkHarness(r.Harness); err != nil {
		return nil, err
	}
	filter := store.SessionFilter{Project: r.Project, Harness: r.Harness, Model: r.Model}
	if filter.Since, filter.Until, err = parseWindow(r.Since, r.Until); err != nil {
		return nil, err
	}
	stats, err := a.store.Stats(ctx, filter, by)
	if err != nil {
		return nil, storeError(err)
	}
	stats.Groups = emptied(stats.Groups)
	return &stats, nil
}

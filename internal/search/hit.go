package search

import (
	"cmp"
	"context"
	"errors"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// hits are candidates as callers see them, without those that are worse than what
// is wanted, and those that went in the meantime.
func (s *Service) hits(ctx context.Context, q question, found []*candidate) ([]Hit, error) {
	hits := []Hit{}
	traces := labels[session.Trace]{read: s.store.Trace}
	sessions := labels[session.Session]{read: s.store.Session}
	for _, c := range found {
		if c.score < q.minScore {
			break
		}
		trace, there, err := traces.of(ctx, c.TraceID)
		if err != nil {
			return nil, err
		}
		of, alsoThere, err := sessions.of(ctx, c.SessionID)
		if err != nil {
			return nil, err
		}
		if !there || !alsoThere {
			continue
		}
		hit := Hit{
			SessionID: c.SessionID, TraceID: c.TraceID, SpanID: c.SpanID, Score: c.score, UserPrompt: trace.UserPrompt,
			Model: c.Model, StartedAt: c.StartedAt, Kind: c.Kind, Title: cmp.Or(of.DisplayName, of.Title),
			Harness: of.Harness, Project: of.Project, Similar: c.similar,
		}
		hit.Snippet, hit.Highlights = q.snippet(c.text, c.Start, c.End)
		hits = append(hits, hit)
	}
	return hits, nil
}

// labels reads things of which several hits are part, each once.
type labels[T any] struct {
	read func(context.Context, string) (T, error)
	have map[string]*T // nil: gone
}

func (l *labels[T]) of(ctx context.Context, id string) (thing T, there bool, err error) {
	if known, ok := l.have[id]; ok {
		if known != nil {
			thing = *known
		}
		return thing, known != nil, nil
	}
	if l.have == nil {
		l.have = map[string]*T{}
	}
	thing, err = l.read(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		l.have[id] = nil
		return thing, false, nil
	}
	if err == nil {
		l.have[id] = &thing
	}
	return thing, err == nil, err
}

package search

import (
	"context"
	"math"

	"tapedeck/internal/search/document"
	"tapedeck/internal/store"
)

// hits are candidates as callers see them, without those that are worse than what
// is wanted, and those that went in the meantime. Secrets are masked in all of their
// texts: that of a prompt is shown in answers to whoever asks for something near it.
func (s *Service) hits(ctx context.Context, q question, found []*candidate) ([]Hit, error) {
	hits := []Hit{}
	labels, err := s.labelsOf(ctx, found)
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		score := rounded(c.score)
		if score < q.minScore {
			break
		}
		label, there := labels[c.TraceID]
		if !there {
			continue
		}
		hit := Hit{
			SessionID: c.SessionID, TraceID: c.TraceID, SpanID: c.SpanID, Score: score, UserPrompt: document.Mask(label.UserPrompt),
			Model: c.Model, StartedAt: c.StartedAt, Kind: c.Kind, Title: document.Mask(label.Title),
			Harness: label.Harness, Project: label.Project, Similar: c.similar,
		}
		hit.Snippet, hit.Highlights = q.snippet(c.text, c.Start, c.End)
		hits = append(hits, hit)
	}
	return hits, nil
}

// rounded is a score as callers see it, and as min_score is compared with: sums of
// fractions have many digits that tell nothing.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }

// labelsOf reads what is shown of the candidates' traces.
func (s *Service) labelsOf(ctx context.Context, found []*candidate) (map[string]store.Label, error) {
	if len(found) == 0 {
		return nil, nil
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.TraceID
	}
	return s.store.Labels(ctx, ids)
}

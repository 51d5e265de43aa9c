package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/store"
)

const (
	// fewestCandidates are looked at for each query: scores are seen beside the one
	// of the last of them, so their number must not depend on how many hits are
	// wanted.
	fewestCandidates = 200
	// candidatesPerHit leaves room for near-duplicates, and has a graph of vectors miss
	// few: of the 100 nearest it finds .93 when it is asked for 200, .97 for 300 or 400.
	candidatesPerHit = 3
	// mostCandidates bounds how many are looked at when nearly all are duplicates.
	mostCandidates = 16000
	// queryPatience is how long a query waits for its vector.
	queryPatience = 2 * time.Second
	// queryTimeout is how long its vector may take after that: a model that is being
	// loaded should not have to begin again.
	queryTimeout = 30 * time.Second
	// sparedFor is how long queries do not wait after one waited in vain.
	sparedFor = 10 * time.Second
)

// Search finds spans.
func (s *Service) Search(ctx context.Context, r Request) (*Answer, error) {
	q, err := s.check(ctx, r)
	if err != nil {
		return nil, err
	}
	m, err := s.meaningOf(ctx, &q)
	if err != nil {
		return nil, err
	}
	found, err := s.find(ctx, q, m)
	if failed, ok := errors.AsType[vectorsError](err); ok && ctx.Err() == nil {
		s.snapshot.drop() // another process may have switched to another model
		m.giveUp(&q, failed.Error())
		found, err = s.find(ctx, q, m)
	}
	if err != nil {
		return nil, storeError(err)
	}
	hits, err := s.hits(ctx, q, found)
	if err != nil {
		return nil, storeError(err)
	}
	if len(found) == 0 {
		if err := s.checkFilter(ctx, q.filter); err != nil {
			return nil, err
		}
	}
	m.notices = append(m.notices, q.advice(m, found, len(hits))...)
	return &Answer{Query: r.Query, Count: len(hits), Results: hits, Mode: q.mode, Notice: strings.Join(m.notices, "; ")}, nil
}

// A meaning is a query's vector, and what is to be said of the vectors there are.
type meaning struct {
	generation store.Generation
	vector     []float32 // nil: meaning is not searched
	empty      bool      // there is nothing to search
	notices    []string
}

// meaningOf embeds the query, if it can; otherwise the mode becomes lexical.
func (s *Service) meaningOf(ctx context.Context, q *question) (meaning, error) {
	state, generation, err := s.look(ctx, snapshotAge)
	if _, ok := errors.AsType[vectorsError](err); err != nil && !ok {
		return meaning{}, storeError(err)
	}
	m := meaning{generation: generation, empty: state.Documents == 0 && state.Behind == 0}
	if state.Behind > 0 {
		m.notices = append(m.notices, fmt.Sprintf("%d changed traces are still to be indexed", state.Behind))
	}
	if q.mode == ModeLexical {
		return m, nil
	}
	reason := ""
	switch {
	case err != nil:
		reason = err.Error()
	case s.embedder == nil:
		reason = "no embedder is configured (embedding_provider)"
	case generation.Vectors == 0 && state.Documents > 0:
		s.meetAgain(ctx)
		reason = "no text has vectors yet" + s.why()
	default:
		m.vector, reason, err = s.vectorOf(ctx, q.text, generation)
		if err != nil {
			return m, err
		}
	}
	switch {
	case reason != "":
		m.giveUp(q, reason)
	case generation.Missing > 0:
		m.notices = append(m.notices, fmt.Sprintf("%d of %d texts have no vectors yet and are found by their words only%s",
			generation.Missing, generation.Missing+generation.Texts, s.why()))
	}
	return m, nil
}

// giveUp says why only words are searched.
func (m *meaning) giveUp(q *question, reason string) {
	q.mode, m.vector = ModeLexical, nil
	m.notices = append(m.notices, "only words were searched, not meaning: "+reason)
}

// A vectorsError says that the vectors can't be read: they may lie in a database
// of their own.
type vectorsError struct{ error }

func (e vectorsError) Error() string { return "the vectors can't be read: " + plainly(e.error) }
func (e vectorsError) Unwrap() error { return e.error }

// why is how the embedder fails, if it does.
func (s *Service) why() string {
	if trouble, _ := s.trouble(); trouble != "" {
		return ": " + trouble
	}
	return ""
}

// vectorOf embeds the query; where it can't, it says why.
func (s *Service) vectorOf(ctx context.Context, text string, generation store.Generation) (vector []float32, reason string, err error) {
	if generation.ID == 0 {
		return nil, "", nil // there is no document either
	}
	if s.health.spared() {
		return nil, errSlow.Error() + "; it is asked again in a few seconds", nil
	}
	vector, err = s.queryVector(ctx, text)
	switch {
	case ctx.Err() != nil:
		return nil, "", storeError(ctx.Err())
	case err != nil:
		return nil, told(err), nil
	case len(vector) != generation.Width: // which was not known before
		s.snapshot.drop()
		return nil, fmt.Sprintf("no text has vectors with the %d numbers that the embedder gives now, but %d", len(vector), generation.Width), nil
	}
	return vector, "", nil
}

// queryVector embeds a query, or gives up after a while.
func (s *Service) queryVector(ctx context.Context, text string) ([]float32, error) {
	type answer struct {
		vectors [][]float32
		err     error
	}
	answers := make(chan answer, 1)
	text = firstPart(text, s.embedder.Window())
	var counted sync.Once // a call that fails after it was given up failed once
	failed := func(err error) { counted.Do(func() { s.health.count(err) }) }
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
		defer cancel()
		vectors, err := s.call(ctx, embed.ForQuery, []string{text})
		if err == nil {
			s.health.querySlow(false)
		} else {
			failed(err)
		}
		if aboutOne(err) < 0 { // one that is about this text says nothing of the embedder
			s.noted(ctx, err)
		}
		answers <- answer{vectors, err}
	}()
	timer := time.NewTimer(queryPatience)
	defer timer.Stop()
	select {
	case a := <-answers:
		if a.err != nil {
			return nil, a.err
		}
		return a.vectors[0], nil
	case <-timer.C:
		failed(errSlow)
		s.health.querySlow(true)
		return nil, errSlow
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// firstPart is as much of a query as an embedder takes.
func firstPart(text string, window int) string {
	if window <= 0 || len(text) <= window {
		return text
	}
	return cutAtWord(text, window)
}

// find looks for candidates until there are enough hits, or no more.
func (s *Service) find(ctx context.Context, q question, m meaning) ([]*candidate, error) {
	limit := max(fewestCandidates, candidatesPerHit*q.topK)
	for {
		c, err := s.candidates(ctx, q, m, limit)
		if err != nil {
			return nil, err
		}
		ranked, err := s.rank(ctx, q, c)
		if err != nil {
			return nil, err
		}
		kept, err := s.fold(ctx, ranked, q.topK)
		if err != nil || len(kept) >= q.topK || !c.more || limit >= mostCandidates {
			return kept, err
		}
		limit *= 4
	}
}

// candidates are what the index found.
type candidates struct {
	lexical, semantic, exact []store.IndexHit
	more                     bool // there may be more than these
}

func (s *Service) candidates(ctx context.Context, q question, m meaning, limit int) (candidates, error) {
	var c candidates
	words := make(chan error, 1)
	go func() { words <- s.searchWords(ctx, q, &c, limit) }()
	var err error
	if m.vector != nil {
		err = s.askVectors(ctx, func(ctx context.Context) (err error) {
			c.semantic, err = s.vectors.SearchVectors(ctx, m.generation.ID, m.vector, q.filter, limit)
			return err
		})
		if err != nil {
			err = vectorsError{err}
		}
		dampBrief(c.semantic)
	}
	if failed := <-words; failed != nil {
		err = failed
	}
	c.more = max(len(c.lexical), len(c.semantic)) >= limit
	return c, err
}

// searchWords looks for the query's words, and apart from that for what must be
// held as it is written: it may stand in documents that have little else.
func (s *Service) searchWords(ctx context.Context, q question, c *candidates, limit int) (err error) {
	if q.mode == ModeSemantic || len(q.terms) == 0 {
		return nil
	}
	if c.lexical, err = s.store.SearchText(ctx, store.TextQuery{Terms: q.terms, Filter: q.filter, Limit: limit}); err != nil {
		return err
	}
	if len(q.exact) > 0 {
		c.exact, err = s.store.SearchText(ctx, store.TextQuery{Terms: q.exactTerms(), Filter: q.filter, Limit: fewestCandidates})
	}
	return err
}

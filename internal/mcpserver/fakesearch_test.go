package mcpserver

import (
	"context"
	"strings"

	"tapedeck/internal/search"
	"tapedeck/internal/session"
)

// fakeSearch finds as many hits as a test wants, all alike, and keeps what it was
// asked for. A blank query it refuses, as a service does.
type fakeSearch struct {
	search.Operations
	err             error
	asked           []search.Request
	hits            int // none: 1
	prompt, snippet string
	notice          string
}

func (f *fakeSearch) Search(_ context.Context, r search.Request) (*search.Answer, error) {
	f.asked = append(f.asked, r)
	if strings.TrimSpace(r.Query) == "" {
		return nil, &search.Error{Code: search.CodeArgument, Message: "query is blank: want words, or a question"}
	}
	if f.err != nil {
		return nil, f.err
	}
	answer := &search.Answer{Query: r.Query, Results: []search.Hit{}, Mode: search.ModeHybrid, Notice: f.notice}
	for i := range max(f.hits, 1) {
		answer.Results = append(answer.Results, f.hit(i))
	}
	answer.Count = len(answer.Results)
	return answer, nil
}

func (f *fakeSearch) hit(i int) search.Hit {
	h := search.Hit{
		SessionID: oneSession, TraceID: oneTrace, SpanID: oneSpan, Score: 0.89 / float64(i+1),
		UserPrompt: "How do I set up logging?", Snippet: "To configure <logging>, you'll need to…",
		Model: "claude-sonnet-4-5", StartedAt: 1750000000000,
		Kind: session.KindLLM, Title: "Set up logging", Harness: "claude-code", Project: "upload", Similar: 2,
		Highlights: [][2]int{{3, 12}, {14, 21}},
	}
	if f.prompt != "" {
		h.UserPrompt = f.prompt
	}
	if f.snippet != "" {
		h.Snippet = f.snippet
	}
	return h
}

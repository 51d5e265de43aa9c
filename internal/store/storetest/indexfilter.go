package storetest

import (
	"slices"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// tellFiltered fills a store with documents that filters tell apart. All have the
// word "word", and the vector of tellFilteredVectors.
func tellFiltered(t *testing.T, open OpenIndex) IndexedStore {
	t.Helper()
	s, _ := open(t)
	main := telling(ref("a"),
		[]span{{text: "word 1", model: "Claude-A", at: day0}, {kind: session.KindTool, text: "word 2", at: day0 + 1}},
		[]span{{text: "word 3", model: "claude-b", at: day0 + day}, {kind: session.KindTool, text: "word 4", at: day0 + day}})
	elsewhere := telling(session.Ref{Harness: "codex", Key: "b"}, []span{{text: "word 5", model: "claude-a", at: day0 + 2*day}})
	elsewhere.Sessions[0].Session.Project, elsewhere.Sessions[0].Session.Cwd = "Tool", "/srv/Tool"
	sub := asSubagentOf(telling(ref("c"), []span{{text: "word 6", at: day0 + day}, {kind: session.KindTool, text: "word 7", at: day0 + 3*day}}), ref("a"))
	fork := telling(ref("d"), []span{{text: "word 8", at: day0 + 4*day}})
	fork.Sessions[0].Session.Parent = &session.Origin{SessionID: ref("a").SessionID(), Relation: session.Fork}
	internal := telling(ref("e"), []span{{text: "word 9", at: day0}, {kind: session.KindTool, text: "word 10", at: day0}})
	internal.Sessions[0].Session.Internal = true
	timeless := telling(ref("f"), []span{{text: "word 11", at: day0}})
	timeless.Sessions[0].Traces[0].Spans[1].Span.StartedAt = 0
	indexed(t, s, map[session.Ref]session.Projection{
		ref("a"): main, {Harness: "codex", Key: "b"}: elsewhere, ref("c"): sub, ref("d"): fork, ref("e"): internal, ref("f"): timeless,
	})
	return s
}

// A filterCase says what a filter chooses of tellFiltered.
type filterCase struct {
	name   string
	filter store.IndexFilter
	want   []string // in order
}

func filterCases() []filterCase {
	llm1, tool2 := spanID(ref("a"), 0, 0, ""), spanID(ref("a"), 0, 1, session.KindTool)
	llm3, tool4 := spanID(ref("a"), 1, 0, ""), spanID(ref("a"), 1, 1, session.KindTool)
	llm5 := spanID(session.Ref{Harness: "codex", Key: "b"}, 0, 0, "")
	llm6, tool7 := spanID(ref("c"), 0, 0, ""), spanID(ref("c"), 0, 1, session.KindTool)
	llm8, llm11 := spanID(ref("d"), 0, 0, ""), spanID(ref("f"), 0, 0, "")
	all := store.ScopeAll
	cases := []filterCase{
		{"none: the main scope", store.IndexFilter{}, []string{llm1, llm3, llm5, llm8, llm11}},
		{"main", store.IndexFilter{Scope: store.ScopeMain}, []string{llm1, llm3, llm5, llm8, llm11}},
		{"subagents", store.IndexFilter{Scope: store.ScopeSubagents}, []string{llm1, llm3, llm5, llm6, llm8, llm11}},
		{"tools", store.IndexFilter{Scope: store.ScopeTools}, []string{tool2, tool4, tool7}},
		{"all", everything, []string{llm1, tool2, llm3, tool4, llm5, llm6, tool7, llm8, llm11}},
		{"a session", store.IndexFilter{SessionID: ref("a").SessionID()}, []string{llm1, llm3}},
		{"all of a session", store.IndexFilter{Scope: all, SessionID: ref("c").SessionID()}, []string{llm6, tool7}},
		{"a sub-agent's, in main", store.IndexFilter{SessionID: ref("c").SessionID()}, nil},
		{"an internal one", store.IndexFilter{Scope: all, SessionID: ref("e").SessionID()}, nil},
		{"no session", store.IndexFilter{SessionID: "none"}, nil},
		{"a project", store.IndexFilter{Project: "tool"}, []string{llm5}},
		{"a folder", store.IndexFilter{Project: "/home/ann/CAFÉ"}, []string{llm1, llm3, llm8, llm11}},
		{"no project", store.IndexFilter{Project: "Tools"}, nil},
		{"a harness", store.IndexFilter{Harness: "codex"}, []string{llm5}},
		{"no harness", store.IndexFilter{Harness: "gemini"}, nil},
		{"a model", store.IndexFilter{Model: "claude-a"}, []string{llm1, llm5}},
		{"a model, in another case", store.IndexFilter{Model: "CLAUDE-B"}, []string{llm3}},
		{"a model's tools", store.IndexFilter{Scope: store.ScopeTools, Model: "claude-a"}, []string{tool2}},
		{"no model", store.IndexFilter{Model: "claude"}, nil},
		{"after", store.IndexFilter{Scope: all, After: day0 + day}, []string{llm3, tool4, llm5, llm6, tool7, llm8}},
		{"before", store.IndexFilter{Scope: all, Before: day0 + day}, []string{llm1, tool2}},
		{"between", store.IndexFilter{Scope: all, After: day0 + 1, Before: day0 + day + 1}, []string{tool2, llm3, tool4, llm6}},
		{"never", store.IndexFilter{Scope: all, After: day0 + day, Before: day0}, nil},
		{"many", store.IndexFilter{
			Scope: store.ScopeTools, SessionID: ref("a").SessionID(), Project: "café", Harness: harness, Model: "claude-b", After: 1, Before: day0 + 2*day,
		}, []string{tool4}},
	}
	for i := range cases {
		slices.Sort(cases[i].want)
	}
	return cases
}

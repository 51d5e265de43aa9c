package langfuse

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// sums are what an export holds.
type sums struct {
	Records, Prompts, Answers, Calls, Results int
	Input, Output, Reasoning                  int64
	Cost                                      string
}

func sumsOf(records []session.Record, events []session.Event) sums {
	s, usage, calls := sums{Records: len(records)}, session.Usage{}, map[string]bool{}
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			if what.Origin == session.Typed {
				s.Prompts++
			}
		case *session.Answer:
			s.Answers++
			usage.Add(*what.Usage)
			for _, p := range what.Content {
				if p.Type == session.ToolCall {
					calls[p.ID] = true
				}
			}
		case *session.Call:
			calls[what.CallID] = true
		case *session.Result:
			s.Results++
		}
	}
	s.Calls, s.Input, s.Output, s.Reasoning, s.Cost = len(calls), usage.InputTokens, usage.OutputTokens, usage.ReasoningTokens, usage.Cost.String()
	return s
}

// The sums were taken from the files by hand: usage and cost of the generations
// that have none below them.
func TestCorpus(t *testing.T) {
	tests := map[string]sums{
		"agno-2025-06-11.json":    {Records: 7, Prompts: 1, Answers: 2, Calls: 1, Results: 1, Input: 163 + 663, Output: 20 + 225, Cost: "0.0002709"},
		"autogen-2025-06-06.json": {Records: 3, Prompts: 1, Answers: 1, Input: 41, Output: 3, Cost: "0.000025"},
		// Its calls are events of their own: three that began, one that succeeded.
		"beeai-2025-08-01.json":                         {Records: 30, Prompts: 1, Answers: 4, Calls: 1, Results: 1, Input: 1195 + 1988 + 2359, Cost: "0.0008313"},
		"google-adk-2025-08-28.json":                    {Records: 6, Prompts: 1, Answers: 2, Calls: 1, Results: 1, Input: 28 + 39, Output: 3 + 6, Cost: "0.0000103"},
		"google-gemini-2025-08-01.json":                 {Records: 2, Prompts: 1, Answers: 1, Input: 6, Output: 2055, Reasoning: 1104, Cost: "0.0051393"},
		"google-vertex-tools-langchain-2025-09-19.json": {Records: 2, Prompts: 2, Answers: 1, Input: 1200, Output: 15, Cost: "0.00011"},
		"koog-2025-08-26.json":                          {Records: 12, Prompts: 1, Answers: 2, Calls: 2, Results: 2, Input: 47 + 168, Output: 106 + 19, Cost: "0.0017875"},
		// LangChain's handler tells instructions as the user's.
		"langgraph-2025-08-22.json":         {Records: 10, Prompts: 2, Answers: 2, Calls: 1, Results: 1, Input: 60 + 108, Output: 15 + 51, Cost: "0.000234"},
		"llamaindex-2025-06-05.json":        {Records: 3, Prompts: 1, Answers: 1, Input: 13, Output: 81, Cost: "0.0008425"},
		"microsoft-agent-2025-10-14.json":   {Records: 5, Prompts: 1, Answers: 2, Calls: 1, Results: 1, Input: 25 + 631, Output: 70 + 35, Cost: "0.00269"},
		"openai-agents-2025-09-30.json":     {Records: 6, Prompts: 1, Answers: 2, Calls: 1, Results: 1, Input: 55 + 85, Output: 15 + 29, Cost: "0.000632"},
		"openai-assistants-2024-05-29.json": {Records: 5, Prompts: 1, Answers: 1, Input: 49, Output: 40, Cost: "0.00387"},
		"pydantic-ai-tools-2025-12-04.json": {Records: 13, Prompts: 3, Answers: 4, Calls: 4, Results: 3, Input: 265 + 417 + 502 + 131, Output: 73 + 53 + 14 + 69, Cost: "0.00032265"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path := corpustest.Path(t, "agents/langfuse/"+name)
			if !New().Claims(&transcript.File{Path: path}) {
				t.Error("is not claimed")
			}
			s := tapeOf(t, path)
			if len(s.Reasons)+len(s.Kinds)+len(s.Cuts) > 0 || len(s.keys()) != 1 {
				t.Fatalf("sessions %v, lost %q, unknown %q, cut %v", s.keys(), s.Reasons, s.Kinds, s.Cuts)
			}
			records := s.ordered(s.keys()[0])
			if diff := cmp.Diff(want, sumsOf(records, interpret(t, records))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCorpusOfOthers(t *testing.T) {
	root, claimed := corpustest.Path(t, "agents"), []string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/claude-code/bulk/") {
			return err
		}
		if New().Claims(&transcript.File{Path: path}) {
			claimed = append(claimed, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own := func(path string) bool {
		return strings.HasPrefix(path, filepath.Join(root, "langfuse")) && filepath.Base(path) != "chat_ml_json.json"
	}
	if others := slices.DeleteFunc(slices.Clone(claimed), own); len(others) > 0 || len(claimed) != 13 {
		t.Errorf("%d files claimed, want the 13 exports; others: %v", len(claimed), others)
	}
}

package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// sums are what a file holds.
type sums struct {
	Prompts, Answers, Calls, Results, Notes int
	Input, CacheRead, Output, Reasoning     int64
}

func sumsOf(events []session.Event) sums {
	var s sums
	for _, p := range transcripttest.Of[*session.Prompt](events) {
		if p.Origin == session.Typed {
			s.Prompts++
		}
	}
	for _, a := range transcripttest.Of[*session.Answer](events) {
		s.Answers++
		s.Input += a.Usage.InputTokens
		s.CacheRead += a.Usage.CacheReadTokens
		s.Output += a.Usage.OutputTokens
		s.Reasoning += a.Usage.ReasoningTokens
		for _, p := range a.Content {
			if p.Type == session.ToolCall {
				s.Calls++
			}
		}
	}
	s.Results = len(transcripttest.Of[*session.Result](events))
	s.Notes = len(transcripttest.Of[*session.Note](events))
	return s
}

// The sums were taken from the files with another program, not with this package: of prompts
// those that are not "System: Please continue.".
func TestCorpus(t *testing.T) {
	tests := map[string]sums{
		"agent-sessions/jsonl_v040.jsonl":          {Prompts: 1, Answers: 2, Calls: 1, Results: 1, Input: 12422, CacheRead: 11502, Output: 228},
		"agent-sessions/large.json":                {Prompts: 2, Answers: 4, Calls: 2, Results: 2, Notes: 1, Input: 100, Output: 10},
		"agent-sessions/schema_drift.json":         {Prompts: 1, Answers: 1},
		"agent-sessions/small.json":                {Prompts: 1, Answers: 1, Input: 10, Output: 5},
		"agentsview/standard_session.json":         {Prompts: 2, Answers: 2, Input: 3350, CacheRead: 150, Output: 650, Reasoning: 150},
		"agentsview/system_messages.json":          {Notes: 3},
		"agentsview/thinking_only.json":            {Prompts: 1, Answers: 1},
		"agentsview/tool_calls.json":               {Prompts: 1, Answers: 1, Calls: 1, Results: 1},
		"agentsview/tool_calls_with_results.json":  {Prompts: 1, Answers: 1, Calls: 2, Results: 2},
		"entire-real/session-12_cbfeaa512b_0.json": {Prompts: 2, Answers: 4, Calls: 2, Results: 2, Notes: 0, Input: 13635, CacheRead: 35330, Output: 302, Reasoning: 232},
		"entire-real/session-51_3fab7adf0b_0.json": {Prompts: 1, Answers: 2, Calls: 1, Results: 1, Notes: 0, Input: 12341, CacheRead: 11835, Output: 153, Reasoning: 120},
		"entire-real/session-9c_53780d06b7_0.json": {Prompts: 1, Answers: 6, Calls: 4, Results: 4, Notes: 1, Input: 12424, CacheRead: 50471, Output: 773, Reasoning: 464},
		"entire-real/session-ab_2b9748b105_0.json": {Prompts: 1, Answers: 11, Calls: 9, Results: 9, Notes: 1, Input: 17521, CacheRead: 113854, Output: 1812, Reasoning: 1095},
		"entire-real/session-c9_45f262e88d_0.json": {Prompts: 1, Answers: 2, Calls: 1, Results: 1, Notes: 0, Input: 10179, CacheRead: 14378, Output: 360, Reasoning: 204},
		"entire-real/session-ec_38b74f08e3_2.json": {Notes: 1},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path := corpustest.Path(t, "agents/gemini/"+name)
			if !New().Claims(&transcript.File{Path: path}) {
				t.Error("is not claimed")
			}
			s := newTape()
			readFrom(t, path, transcript.Cursor{}, s)
			if len(s.Reasons)+len(s.Kinds)+len(s.Cuts) > 0 {
				t.Errorf("lost %q, unknown %q, cut %v", s.Reasons, s.Kinds, s.Cuts)
			}
			got := sumsOf(interpret(t, s.Ordered(s.only(t))))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCorpusOfOthers(t *testing.T) {
	root := corpustest.Path(t, "agents")
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		foreign := !strings.HasPrefix(path, filepath.Join(root, "gemini")) || strings.Contains(path, "gemini-cli-wire")
		if foreign && New().Claims(&transcript.File{Path: path}) {
			t.Errorf("%s is claimed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Three of the real files are snapshots of one session, taken as it grew.
func TestCorpusSnapshotsOfOneSession(t *testing.T) {
	var paths []string
	for _, name := range []string{"session-ab_2b9748b105_0", "session-c9_45f262e88d_0", "session-9c_53780d06b7_0"} {
		paths = append(paths, corpustest.Path(t, "agents/gemini/entire-real/"+name+".json"))
	}
	last := events(t, paths[0])
	for range paths {
		paths = append(paths[1:], paths[0])
		if diff := cmp.Diff(last, events(t, paths...)); diff != "" {
			t.Errorf("%v: %s", paths, diff)
		}
	}
}

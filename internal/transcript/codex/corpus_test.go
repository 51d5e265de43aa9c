package codex

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// TestCorpus reads every Codex file of the corpus: all are claimed, nothing is
// lost, nothing is unknown.
func TestCorpus(t *testing.T) {
	for _, path := range corpusFiles(t, "agents/codex", "agents/derived/codex") {
		if !New().Claims(&transcript.File{Path: path}) {
			t.Errorf("%s is not claimed", path)
		}
		s := read(t, path)
		wantCut := 0
		if strings.Contains(path, "truncated") {
			wantCut = 1
		}
		if len(s.lost) > 0 || len(s.unknown) > 0 || s.cut != wantCut {
			t.Errorf("%s: lost %v, unknown %v, cut %d, want none, none, %d", path, s.lost, s.unknown, s.cut, wantCut)
		}
		told := events(t, s.records, nil)
		if len(told) == 0 {
			t.Errorf("%s tells nothing", path)
		}
		u := usageOf(told)
		t.Logf("%-60s %4d records %4d events %2d prompts %3d calls %3d results, %d+%d+%d in, %d out",
			filepath.Base(path), len(s.records), len(told), len(opening(told)), len(calls(told)), len(transcripttest.Of[*session.Result](told)),
			u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.OutputTokens)
	}
}

// TestCorpusForks checks the sums that were worked out for the derived forks.
func TestCorpusForks(t *testing.T) {
	for _, name := range []string{"fork-replay-restamped", "subagent-starts-from-zero"} {
		files := corpusFiles(t, "agents/derived/codex/"+name)
		if len(files) != 2 {
			t.Fatalf("%s has %d files, want 2", name, len(files))
		}
		parent, fork := read(t, files[0]), read(t, files[1])
		of := usageOf(events(t, parent.records, nil))
		if got := of.Total(); got != 109562 {
			t.Errorf("%s: the parent used %d tokens, want 109562", name, got)
		}
		of = usageOf(events(t, fork.records, origins(parent.records)))
		if got := of.Total(); got != 550 {
			t.Errorf("%s: the fork used %d tokens of its own, want 550", name, got)
		}
		if fork.facts.Parent == nil || *fork.facts.Parent != parent.ref || *fork.facts.ForkedFrom != parent.ref {
			t.Errorf("%s: the fork comes from %+v, want %v", name, fork.facts, parent.ref)
		}
	}
}

func opening(events []session.Event) []*session.Prompt {
	var list []*session.Prompt
	for _, p := range transcripttest.Of[*session.Prompt](events) {
		if p.Origin != session.Injected && p.Origin != session.Summary {
			list = append(list, p)
		}
	}
	return list
}

func calls(events []session.Event) map[string]bool {
	ids := map[string]bool{}
	for _, c := range transcripttest.Of[*session.Call](events) {
		ids[c.CallID] = true
	}
	for _, a := range transcripttest.Of[*session.Answer](events) {
		for _, p := range a.Content {
			if p.Type == session.ToolCall {
				ids[p.ID] = true
			}
		}
	}
	return ids
}

func corpusFiles(t *testing.T, folders ...string) []string {
	t.Helper()
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(corpustest.Path(t, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

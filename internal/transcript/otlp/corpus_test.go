package otlp

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/derive"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// the session of the derived files.
const derived = "cc432c40-914a-4c1a-a972-0103199a736a"

// project derives a session of a tape.
func project(t *testing.T, s *tape, key string) session.Session {
	t.Helper()
	records := func(session.Place) iter.Seq2[session.Record, error] {
		return func(yield func(session.Record, error) bool) {
			for _, r := range s.ordered(key) {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	p, err := derive.Derive(t.Context(), derive.Input{Ref: session.Ref{Harness: harness, Key: key}, Importer: New(), Records: records})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sessions) == 0 {
		return session.Session{}
	}
	return p.Sessions[0].Session
}

// The spans were made of a session of Claude Code, for which EXPECTED.tsv of
// claude-code/grow-prefix-small says what there is (04__…: 6 prompts, 32 messages,
// 28 calls with results, 1 error; 268 tokens of input, 93344 written to and
// 1654279 read from the cache, 90 of output).
func TestCorpusDerivedSession(t *testing.T) {
	want := session.Counts{Records: 66, Traces: 6, Prompts: 6, Messages: 32, ToolCalls: 28, ToolResults: 28, ToolErrors: 1}
	usage := session.Usage{InputTokens: 268, CacheWriteTokens: 93344, CacheReadTokens: 1654279, OutputTokens: 90}
	var scripts [][]string
	for _, name := range []string{"claude-session.genai.otlp.json", "claude-session.genai.otlp.jsonl"} {
		s := tapeOf(t, corpustest.Path(t, "agents/otlp/derived/"+name))
		got := project(t, s, derived)
		if diff := cmp.Diff(want, got.Counts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		got.Usage.Cost = 0
		if diff := cmp.Diff(usage, got.Usage); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		scripts = append(scripts, script(interpret(t, s.ordered(derived))))
	}
	if diff := cmp.Diff(scripts[0], scripts[1]); diff != "" {
		t.Errorf("the document and the lines differ: %s", diff)
	}
}

// Two traces of the same session, in the dialects: 223797 tokens of input with
// the cached ones, 207862 read and 15891 written, 26 of output. What a dialect has
// no words for it can't tell: the older attributes know no cache, OpenInference's
// here no writing to it, and in both one answer was cut short, with its call.
func TestCorpusDialects(t *testing.T) {
	tests := map[string]session.Usage{
		"variant-numeric-nanos-upper-hex-int-numbers.json": {InputTokens: 44, CacheReadTokens: 207862, CacheWriteTokens: 15891, OutputTokens: 26},
		"variant-protojson-base64-ids-enum-strings.json":   {InputTokens: 44, CacheReadTokens: 207862, CacheWriteTokens: 15891, OutputTokens: 26},
		"variant-openinference-attrs.json":                 {InputTokens: 15935, CacheReadTokens: 207862, OutputTokens: 26},
		"variant-deprecated-openllmetry-attrs.json":        {InputTokens: 223797, OutputTokens: 26},
	}
	whole := script(interpret(t, tapeOf(t, corpustest.Path(t, "agents/otlp/derived/claude-session.genai.otlp.json")).ordered(derived)))
	for name, usage := range tests {
		t.Run(name, func(t *testing.T) {
			s := tapeOf(t, corpustest.Path(t, "agents/otlp/derived/"+name))
			got := project(t, s, derived)
			want := session.Counts{Records: 12, Traces: 2, Prompts: 2, Messages: 5, ToolCalls: 5, ToolResults: 5}
			inFull := strings.Contains(name, "nanos") || strings.Contains(name, "base64")
			if strings.Contains(name, "openinference") {
				want.Prompts, want.Traces = 0, 1 // they have no messages of the user
			}
			if diff := cmp.Diff(want, got.Counts); diff != "" {
				t.Error(diff)
			}
			got.Usage.Cost = 0
			if diff := cmp.Diff(usage, got.Usage); diff != "" {
				t.Error(diff)
			}
			lines := script(interpret(t, s.ordered(derived)))
			if inFull {
				if diff := cmp.Diff(whole[:len(lines)], lines); diff != "" {
					t.Error(diff)
				}
				return
			}
			same := 0
			for _, line := range lines {
				if slices.Contains(whole, line) {
					same++
				}
			}
			if least := map[bool]int{true: 12, false: 14}[strings.Contains(name, "openinference")]; same < least {
				t.Errorf("%d lines are as in the GenAI conventions, want at least %d: %q", same, least, lines)
			}
		})
	}
}

func TestCorpusVisualStudio(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpustest.Path(t, "agents/otlp/vs-copilot"), "*.jsonl"))
	if err != nil || len(paths) != 4 {
		t.Fatalf("files %v, %v", paths, err)
	}
	s := tapeOf(t, paths...)
	want := map[string]session.Counts{ // one conversation over four files, and another in the last
		"4a8f63f6-7626-4416-a874-fc7bd2c3f005": {Records: 14, Traces: 1, ToolCalls: 10, ToolResults: 10},
		"c0aca2e3-d1f2-4d28-bd5e-5dab29e2be28": {Records: 2, Traces: 1, ToolCalls: 1, ToolResults: 1},
	}
	got := map[string]session.Counts{}
	for _, key := range s.keys() {
		one := project(t, s, key)
		got[key] = one.Counts
		if one.PartialReason == "" {
			t.Errorf("%s holds no call of a model, and does not say so", key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCorpusVercel(t *testing.T) {
	s := tapeOf(t, corpustest.Path(t, "agents/otlp/openinference-vercel-v6/all-spans.json"))
	var sum session.Usage
	messages := int64(0)
	for _, key := range s.keys() {
		one := project(t, s, key)
		messages += one.Counts.Messages
		sum.Add(one.Usage)
	}
	sum.Cost = 0
	// Each span is in a trace of its own, so outer and inner ones can't be told to
	// be one call: 2 × (14 + 50 + 63 + 15) and 2 × (20 + 9 + 156 + 112).
	if want := (session.Usage{InputTokens: 284, OutputTokens: 594}); sum != want || messages != 8 || len(s.Reasons) > 0 {
		t.Errorf("%d messages, %+v, lost %v; want 8 and %+v", messages, sum, s.Reasons, want)
	}
}

func TestCorpusClaims(t *testing.T) {
	root := corpustest.Path(t, "agents")
	claimed := []string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/claude-code/bulk/") {
			return err
		}
		if New().Claims(&transcript.File{Path: path}) {
			relative, _ := filepath.Rel(root, path) // below root
			claimed = append(claimed, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign := slices.DeleteFunc(slices.Clone(claimed), func(path string) bool { return strings.HasPrefix(path, "otlp/") })
	if len(foreign) > 0 || len(claimed) != 20 {
		t.Errorf("%d files claimed, want the 20 of OTLP; others: %v\n%s", len(claimed), foreign, strings.Join(claimed, "\n"))
	}
}

package claudecode

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
)

// expectation is a row of an EXPECTED.tsv, by column.
type expectation map[string]string

func expectations(t *testing.T, folder string) []expectation {
	t.Helper()
	file, err := os.Open(corpustest.Path(t, folder+"/EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = '\t'
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []expectation
	for _, row := range rows[1:] {
		e := expectation{}
		for i, column := range rows[0] {
			e[column] = row[i]
		}
		list = append(list, e)
	}
	return list
}

// repeated is how many lines of a file repeat another byte for byte, without a
// uuid: the reference counts each, here they are one record.
var repeated = map[string]int{
	"concat-lines__130d7b7e__37995ebe.jsonl":         1,
	"summary-foreign-leaf__48f428f9__37995ebe.jsonl": 2,
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCorpusCounts compares what the events of a file's own streams add up to
// with the counts of another implementation.
func TestCorpusCounts(t *testing.T) {
	for _, set := range []string{"entire-real", "grow-prefix-small", "real_projects"} {
		folder := "agents/claude-code/" + set
		for _, want := range expectations(t, folder) {
			name := want["file"]
			// The tables name more files than the corpus holds.
			if _, err := os.Stat(filepath.Join(corpustest.Path(t, folder), filepath.FromSlash(name))); err != nil {
				continue
			}
			t.Run(set+"/"+name, func(t *testing.T) {
				got := countsOf(readFile(t, corpustest.Path(t, folder+"/"+name)))
				delete(want, "file")
				want["records"] = fmt.Sprint(number(t, want["records"]) - repeated[name])
				if diff := cmp.Diff(map[string]string(want), got); diff != "" {
					t.Errorf("counts (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// countsOf counts as the reference does: see the README of the corpus.
func countsOf(got *collected) map[string]string {
	c, agents := newTally(), newTally()
	for _, records := range got.byStream() {
		to := c
		if relayedOnly(records) {
			to = agents
		}
		to.add(records)
	}
	unanswered := 0
	for id := range c.calls {
		if !c.results[id] {
			unanswered++
		}
	}
	n := func(v int64) string { return fmt.Sprint(v) }
	return map[string]string{
		"records":                       n(c.records),
		"user_prompts":                  n(c.prompts),
		"assistant_messages":            n(int64(c.messages)),
		"input_tokens":                  n(c.usage.InputTokens),
		"cache_creation":                n(c.usage.CacheWriteTokens),
		"cache_read":                    n(c.usage.CacheReadTokens),
		"output_tokens":                 n(c.usage.OutputTokens),
		"tool_calls":                    n(int64(len(c.calls))),
		"tool_results":                  n(int64(len(c.results))),
		"tool_errors":                   n(c.errors),
		"unanswered_calls":              n(int64(unanswered)),
		"subagents":                     n(int64(len(c.children))),
		"subagent_messages_inline":      n(int64(agents.messages)),
		"subagent_output_tokens_inline": n(agents.usage.OutputTokens),
		"compactions":                   n(c.compactions),
		"models":                        strings.Join(sorted(c.models), ";"),
	}
}

func sorted(set map[string]bool) []string {
	list := []string{}
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}

// relayedOnly reports whether a stream is known from its parent's progress alone.
func relayedOnly(records []session.Record) bool {
	return !slices.ContainsFunc(records, func(r session.Record) bool { return r.Version != versionProgress })
}

type tally struct {
	records, prompts, errors, compactions int64
	messages                              int
	usage                                 session.Usage
	calls, results, models, children      map[string]bool
}

func newTally() *tally {
	return &tally{calls: map[string]bool{}, results: map[string]bool{}, models: map[string]bool{}, children: map[string]bool{}}
}

func (c *tally) add(records []session.Record) {
	byMerge := map[string]session.Usage{}
	bodies := map[string]gjson.Result{}
	prompts := map[string]bool{}
	for _, r := range records {
		bodies[r.Key] = gjson.ParseBytes(r.Body)
	}
	c.records += int64(len(records))
	for _, e := range interpret(records) {
		line := bodies[e.Record]
		switch what := e.What.(type) {
		case *session.Prompt:
			if isReferencePrompt(line) {
				prompts[e.Record] = true
			}
		case *session.Note:
			if what.Name == session.NoteInterrupted && isReferencePrompt(line) {
				prompts[e.Record] = true
			}
			if what.Name == session.NoteCompaction {
				c.compactions++
			}
		case *session.Spawn:
			c.children[what.Child.Key] = true
		case *session.Answer:
			merge := what.Merge
			if merge == "" {
				merge = e.Key
			}
			u := byMerge[merge]
			if what.Usage != nil {
				u.InputTokens = max(u.InputTokens, what.Usage.InputTokens)
				u.CacheReadTokens = max(u.CacheReadTokens, what.Usage.CacheReadTokens)
				u.CacheWriteTokens = max(u.CacheWriteTokens, what.Usage.CacheWriteTokens)
				u.OutputTokens = max(u.OutputTokens, what.Usage.OutputTokens)
			}
			byMerge[merge] = u
			if what.Model != "" {
				c.models[what.Model] = true
			}
			for _, p := range what.Content {
				if p.Type == session.ToolCall {
					c.calls[p.ID] = true
				}
			}
		case *session.Result:
			c.results[what.CallID] = true
			if len(what.Content) > 0 && what.Content[0].IsError {
				c.errors++
			}
		}
	}
	c.prompts += int64(len(prompts))
	c.messages += len(byMerge)
	for _, u := range byMerge {
		c.usage.Add(u)
	}
}

// isReferencePrompt: the reference counts user lines that are not meta, not a
// summary and hold no tool result, whoever wrote them.
func isReferencePrompt(line gjson.Result) bool {
	return line.Get("type").Str == "user" && !line.Get("isMeta").Bool() && !line.Get("isCompactSummary").Bool() &&
		!line.Get(`message.content.#(type=="tool_result")`).Exists()
}

// lostLines are those that hold no object: a line cut inside of a string, one
// that is a string, one that is a number.
var lostLines = map[string][]string{
	"truncated.jsonl":  {"309: not valid JSON"},
	"edge_cases.jsonl": {"8271: not the beginning of a JSON object or array", "8305: not the beginning of a JSON object or array"},
}

// TestCorpusFixtures: every file of Claude Code's is claimed and read, nothing in
// it is lost; files of others are left alone.
func TestCorpusFixtures(t *testing.T) {
	root := corpustest.Path(t, "agents/claude-code")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") && !strings.HasSuffix(path, ".meta.json") {
			return err
		}
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) {
			isCodex := strings.Contains(filepath.ToSlash(path), "/codex/")
			if claims := New().Claims(fileAt(t, path)); claims == isCodex {
				t.Fatalf("claimed: %v", claims)
			}
			if isCodex {
				return
			}
			got := readFile(t, path)
			if diff := cmp.Diff(lostLines[filepath.Base(path)], got.lost); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
			for _, records := range got.byStream() {
				interpret(records)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCorpusOthers: files of other harnesses are not claimed.
func TestCorpusOthers(t *testing.T) {
	root := corpustest.Path(t, "agents")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		slashed := filepath.ToSlash(path)
		if strings.Contains(slashed, "/claude-code/") || strings.Contains(slashed, "/derived/claude/") {
			return nil
		}
		if New().Claims(fileAt(t, path)) {
			t.Errorf("claimed %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCorpusDerived: edge cases made from a real file count what that file does.
func TestCorpusDerived(t *testing.T) {
	same := "grow-prefix-small/02__cc432c40-914a-4c1a-a972-0103199a736a.jsonl"
	want := countsOf(readFile(t, corpustest.Path(t, "agents/claude-code/"+same)))
	for _, name := range []string{"bom", "crlf", "blank-lines", "two-objects-one-line", "invalid-utf8"} {
		t.Run(name, func(t *testing.T) {
			got := readFile(t, corpustest.Path(t, "agents/derived/claude/"+name+".jsonl"))
			if len(got.lost)+len(got.cut) > 0 {
				t.Errorf("lost %v, cut %v", got.lost, got.cut)
			}
			want := maps.Clone(want)
			if name == "two-objects-one-line" { // a summary was added
				want["records"] = fmt.Sprint(number(t, want["records"]) + 1)
			}
			if diff := cmp.Diff(want, countsOf(got)); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("truncated-last-line", func(t *testing.T) {
		got := readFile(t, corpustest.Path(t, "agents/derived/claude/truncated-last-line.jsonl"))
		if len(got.cut) != 1 || len(got.lost) > 0 {
			t.Errorf("cut at %v, lost %v; want one cut", got.cut, got.lost)
		}
	})
	t.Run("usage-grows-per-line", func(t *testing.T) {
		got := countsOf(readFile(t, corpustest.Path(t, "agents/derived/claude/usage-grows-per-line.jsonl")))
		if got["output_tokens"] != "631" {
			t.Errorf("output tokens: %s, want 631", got["output_tokens"])
		}
	})
	t.Run("huge-image-line", func(t *testing.T) {
		got := readFile(t, corpustest.Path(t, "agents/derived/claude/huge-image-line-3.5MB.jsonl"))
		var blobs []session.Part
		for _, records := range got.byStream() {
			for _, e := range interpret(records) {
				if r, ok := e.What.(*session.Result); ok {
					for _, part := range r.Content {
						if part.Type == session.Blob {
							blobs = append(blobs, part)
						}
					}
				}
			}
		}
		if len(blobs) == 0 || blobs[0].Bytes < 2<<20 || len(blobs[0].SHA256) != 64 {
			t.Errorf("blobs: %+v", blobs)
		}
	})
	t.Run("fork-pair", func(t *testing.T) {
		folder := corpustest.Path(t, "agents/derived/claude/fork-pair")
		got := readFile(t, filepath.Join(folder, "cc432c40-914a-4c1a-a972-0103199a736a.jsonl"), filepath.Join(folder, "f0f0f0f0-0000-4000-8000-000000000001.jsonl"))
		origins, streams := map[string]bool{}, got.byStream()
		for _, records := range streams {
			for _, r := range records {
				if r.Origin != "" {
					origins[r.Origin] = true
				}
			}
		}
		if len(origins) != 104 || len(streams) != 2 {
			t.Errorf("%d origins in %d streams, want 104 in 2", len(origins), len(streams))
		}
	})
}

// TestCorpusSubagents: the streams of sub-agents are those that calls of their
// session started.
func TestCorpusSubagents(t *testing.T) {
	for name, agents := range map[string]int{
		"claude-code-log/async_agents": 1,
		"claude-code-log/teammates":    2,
		"agent-sessions/subagent":      0, // its session has no call that names it
	} {
		t.Run(name, func(t *testing.T) {
			root := corpustest.Path(t, "agents/claude-code/fixtures/"+name)
			var paths []string
			err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && New().Claims(fileAt(t, path)) {
					paths = append(paths, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			got := readFile(t, paths...)
			streams, linked := got.byStream(), 0
			for ref, records := range streams {
				isSub := strings.Contains(ref.Key, "/")
				if isSub != (got.facts[ref].Parent != nil) || isSub && streams[*got.facts[ref].Parent] == nil {
					t.Errorf("facts of %s: %+v", ref, got.facts[ref])
				}
				for _, e := range interpret(records) {
					if s, ok := e.What.(*session.Spawn); ok && streams[s.Child] != nil {
						linked++
					}
				}
			}
			if linked != agents {
				t.Errorf("%d sub-agents are linked, want %d", linked, agents)
			}
		})
	}
}

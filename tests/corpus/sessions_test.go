package corpus

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tidwall/gjson"

	"tapedeck/internal/archive"
	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
	stores "tapedeck/internal/store/open"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/registry"
)

// archiveOver opens an archive on a fresh store and imports paths into it.
func archiveOver(t *testing.T, paths ...string) (*archive.Archive, *archive.ImportResult) {
	t.Helper()
	s, err := stores.Open(t.Context(), stores.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(t.Context(), archive.Options{Store: s, Importers: registry.All(),
		Environment: transcript.Environment{Home: t.TempDir(), Getenv: func(string) string { return "" }}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	result, err := a.Import(t.Context(), archive.ImportRequest{Paths: paths}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, result
}

// sessionsOf are all sessions, sub-agents' among them.
func sessionsOf(t *testing.T, a *archive.Archive) []archive.SessionItem {
	t.Helper()
	r := archive.ListRequest{Subagents: true, Internal: true, PageRequest: archive.PageRequest{Limit: store.MaxLimit}}
	var all []archive.SessionItem
	for {
		list, err := a.ListSessions(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list.Sessions...)
		if r.Cursor = list.NextCursor; r.Cursor == "" {
			return all
		}
	}
}

// counts are what a file gave, by the columns of EXPECTED.tsv.
type counts map[string]int64

// TestClaudeCodeLogs imports every log whose counts are known, each into a store
// of its own, and holds what the sessions say against them.
func TestClaudeCodeLogs(t *testing.T) {
	logs := corpustest.Logs(t)
	compared, sums := 0, map[string]counts{} // by folder
	absent := 0
	for _, log := range logs {
		if _, err := os.Stat(log.Path); err != nil {
			absent++
			continue
		}
		a, result := archiveOver(t, log.Path)
		got, models := countsOf(t, a, log)
		a.Close()
		if result.Totals.Lost+result.Totals.Failed+result.Totals.Skipped > 0 || len(result.Broken) > 0 {
			t.Errorf("%s: not all was taken: %+v %v", log.Name, result.Totals, result.Broken)
		}
		folder, _, _ := strings.Cut(log.Name, "/")
		if sums[folder] == nil {
			sums[folder] = counts{}
		}
		for column, want := range log.Counts {
			compared++
			sums[folder][column] += got[column]
			if got[column] != want {
				t.Errorf("%s: %s is %d, want %d", log.Name, column, got[column], want)
			}
		}
		if !slices.Equal(models, log.Models) {
			t.Errorf("%s: models %v, want %v", log.Name, models, log.Models)
		}
	}
	printSums(sums)
	fmt.Printf("sessions: %d Claude Code logs, %d counts compared; %d more logs are not in the corpus\n", len(logs)-absent, compared, absent)
	if compared < 800 {
		t.Errorf("only %d counts were compared", compared)
	}
}

// printSums prints what was derived, a column a folder.
func printSums(sums map[string]counts) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	folders := slices.Sorted(maps.Keys(sums))
	fmt.Fprintf(table, "sessions: sums\t%s\n", strings.Join(folders, "\t"))
	for _, column := range slices.Sorted(maps.Keys(sums[folders[0]])) {
		fmt.Fprintf(table, "sessions: %s", column)
		for _, folder := range folders {
			fmt.Fprintf(table, "\t%d", sums[folder][column])
		}
		fmt.Fprintln(table)
	}
	table.Flush()
}

// countsOf counts what was derived from a log. A sub-agent's file is a session
// of its own; in any other file sub-agents are those whose messages stand in it.
func countsOf(t *testing.T, a *archive.Archive, log corpustest.Log) (counts, []string) {
	t.Helper()
	all := sessionsOf(t, a)
	isAgent := strings.HasPrefix(filepath.Base(log.Path), "agent-")
	got, models := counts{}, map[string]bool{}
	for _, column := range slices.Collect(maps.Keys(log.Counts)) {
		got[column] = 0
	}
	var inline int64 // records that stand in a sub-agent's stream as well
	for _, s := range all {
		if !isAgent && s.Parent != nil && s.Parent.Relation == session.Subagent {
			got["subagent_messages_inline"] += s.Counts.Messages
			got["subagent_output_tokens_inline"] += s.Usage.OutputTokens
			inline += s.Counts.Records
			continue
		}
		got["assistant_messages"] += s.Counts.Messages
		got["input_tokens"] += s.Usage.InputTokens
		got["cache_creation"] += s.Usage.CacheWriteTokens
		got["cache_read"] += s.Usage.CacheReadTokens
		got["output_tokens"] += s.Usage.OutputTokens
		got["tool_calls"] += s.Counts.ToolCalls
		got["tool_results"] += s.Counts.ToolResults
		got["tool_errors"] += s.Counts.ToolErrors
		got["unanswered_calls"] += s.Counts.Unanswered
		got["subagents"] += s.Counts.Subagents
		got["compactions"] += s.Counts.Compactions
		got["user_prompts"] += s.Counts.Prompts
		for _, m := range s.Models {
			models[m.Model] = true
		}
	}
	info, err := a.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw := readLines(t, log.Path)
	got["records"] = info.Records - inline + raw.repeated
	got["user_prompts"] += raw.wrapped
	return got, slices.Sorted(maps.Keys(models))
}

// lines are what of the reference's counts a session does not tell.
type lines struct {
	repeated int64 // lines without an identifier that stand there twice: one record
	wrapped  int64 // user lines that no person wrote, and that are no meta lines
}

// wrapper is how user lines begin that the harness wrote. The first user line of
// a sub-agent is what its parent told it.
var wrapper = regexp.MustCompile(`^\s*(<local-command-|<bash-stdout>|<bash-stderr>|<task-notification>|<ide_|\[Request interrupted|<system-reminder>|Caveat: )`)

func readLines(t *testing.T, path string) lines {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var found lines
	seen, isAgent := map[string]bool{}, strings.HasPrefix(filepath.Base(path), "agent-")
	gjson.ForEachLine(string(text), func(line gjson.Result) bool {
		if !line.Get("uuid").Exists() {
			if seen[line.Raw] {
				found.repeated++
			}
			seen[line.Raw] = true
		}
		if isReferencePrompt(line) && (onlyWrappers(line) || isAgent) {
			found.wrapped++
		}
		return true
	})
	return found
}

// isReferencePrompt is the reference's rule for user_prompts.
func isReferencePrompt(line gjson.Result) bool {
	return line.Get("type").Str == "user" && !line.Get("isMeta").Bool() && !line.Get("isCompactSummary").Bool() &&
		!line.Get(`message.content.#(type=="tool_result")`).Exists()
}

// onlyWrappers reports whether a user line holds nothing that a person wrote.
func onlyWrappers(line gjson.Result) bool {
	content := line.Get("message.content")
	if !content.IsArray() {
		return wrapper.MatchString(content.Str)
	}
	for _, text := range content.Get(`#(type=="text")#.text`).Array() {
		if !wrapper.MatchString(text.Str) {
			return false
		}
	}
	return true
}

// TestEverySessionLogIsTaken imports the whole agent corpus at once: every log
// that is one is taken, and the store is sound.
func TestEverySessionLogIsTaken(t *testing.T) {
	a, result := archiveOver(t, corpustest.Path(t, "agents"))
	check, err := a.Check(context.Background())
	if err != nil || !check.Sound {
		t.Errorf("the store is not sound: %v %v", err, check.Problems)
	}
	if len(result.Broken) > 0 || result.Totals.Failed > 0 {
		t.Errorf("broken %v, failed %d", result.Broken, result.Totals.Failed)
	}
	byHarness := map[string]int{}
	for _, s := range sessionsOf(t, a) {
		byHarness[s.Harness]++
	}
	skipped := map[string]int{} // by format
	for _, f := range result.Files {
		if f.Status == archive.FileSkipped {
			rest, err := filepath.Rel(corpustest.Path(t, "agents"), f.Path)
			if err != nil {
				t.Fatal(err)
			}
			format, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
			skipped[format]++
		}
	}
	fmt.Printf("sessions: %d files of the corpus, %d records, sessions %v; not taken %v\n",
		result.Totals.Files, result.Totals.Records, byHarness, skipped)
	for _, harness := range registry.All() {
		if harness.Harness() != "kilo" && byHarness[harness.Harness()] == 0 {
			t.Errorf("no session of %s", harness.Title())
		}
	}
}

// TestEdgeCasesOfSessions imports the cases made from real files and holds what
// was counted against derived/EXPECTED.json.
func TestEdgeCasesOfSessions(t *testing.T) {
	text, err := os.ReadFile(corpustest.Path(t, "agents/derived/EXPECTED.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := gjson.ParseBytes(text)
	is := func(what string, got int64, key string) {
		t.Helper()
		if expected := want.Get(gjson.Escape(key)); !expected.Exists() || got != expected.Int() {
			t.Errorf("%s: %d, want %v", what, got, expected)
		}
	}
	for _, fork := range []string{"fork-replay-restamped", "subagent-starts-from-zero"} {
		a, _ := archiveOver(t, corpustest.Path(t, "agents/derived/codex/"+fork))
		sum, all := int64(0), sessionsOf(t, a)
		if len(all) != 2 {
			t.Fatalf("%s: %d sessions, want 2", fork, len(all))
		}
		for _, s := range all {
			sum += s.Usage.Total()
			if s.Parent == nil {
				is(fork+": parent", s.Usage.Total(), "codex parent (first 60 lines) total_tokens")
			} else {
				is(fork+": fork", s.Usage.Total(), "each fork's own new tokens")
			}
		}
		is(fork+": both", sum, "right sum parent+fork1")
	}

	a, _ := archiveOver(t, corpustest.Path(t, "agents/derived/claude/usage-grows-per-line.jsonl"))
	is("usage that grows", sessionsOf(t, a)[0].Usage.OutputTokens, "claude/usage-grows-per-line output_tokens")

	a, _ = archiveOver(t, corpustest.Path(t, "agents/derived/claude/fork-pair"))
	uuids, prompts := int64(0), int64(0)
	for _, s := range sessionsOf(t, a) {
		prompts += s.Counts.Prompts
		if s.Parent == nil {
			uuids += withUUID(t, a, s.ID)
		} else {
			uuids += s.Counts.Records // a fork's own
		}
	}
	is("fork pair: records with an identifier", uuids, "fork-pair: distinct uuids")
	alone, _ := archiveOver(t, corpustest.Path(t, "agents/derived/claude/fork-pair/cc432c40-914a-4c1a-a972-0103199a736a.jsonl"))
	if got := sessionsOf(t, alone)[0].Counts.Prompts; got+1 != prompts {
		t.Errorf("fork pair: %d prompts together, %d in the original alone; the fork has one of its own", prompts, got)
	}
}

// withUUID counts the records of a session that have an identifier of their own:
// those a fork copies.
func withUUID(t *testing.T, a *archive.Archive, id string) int64 {
	t.Helper()
	list, err := a.Raw(t.Context(), archive.RawRequest{SessionID: id, Bodies: true, PageRequest: archive.PageRequest{Limit: store.MaxLimit}})
	if err != nil || list.NextCursor != "" {
		t.Fatalf("%v, next %q", err, list.NextCursor)
	}
	n := int64(0)
	for _, r := range list.Records {
		if gjson.Get(r.Body, "uuid").Exists() {
			n++
		}
	}
	return n
}

package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func TestSessionsRefuse(t *testing.T) {
	for _, tc := range []struct{ args, says string }{
		{"sessions", "a command is missing: want one of export, ls, rename, rm, show"},
		{"sessions list", `there is no command "list"`},
		{"sessions ls extra", "unexpected argument extra"},
		{"sessions ls --all --limit 3", "--all and --limit contradict one another"},
		{"sessions ls --limit 0", "--limit must be 1 or more"},
		{"sessions show", "an argument is missing: tapedeck sessions show SESSION"},
		{"sessions export 7a0c52 --format pdf", "--format pdf: want one of markdown, jsonl"},
		{"sessions rm", "an argument is missing"},
		{"sessions rm 7a0c52", "--yes deletes without asking"},
		{"sessions rename 7a0c52", "a name is missing; --clear"},
		{"sessions rename 7a0c52 new --clear", "contradict one another"},
	} {
		f := &fakeSessions{sessions: 1}
		o := f.run(t, strings.Fields(tc.args)...)
		if o.code != exitUsage || !strings.Contains(o.errOut, tc.says) || o.out != "" || len(f.asked) > 0 {
			t.Errorf("%s: exit code %d, stderr %q, want %q; asked %v", tc.args, o.code, o.errOut, tc.says, f.asked)
		}
	}
}

func TestSessionsThatAreNotThere(t *testing.T) {
	for _, args := range []string{"sessions show none", "sessions rm none --yes", "sessions rm 7a0c52 none --yes", "sessions show 7a0c52 --trace 3", "sessions show 7a0c52 --trace trc_9"} {
		f := &fakeSessions{sessions: 1}
		o := f.run(t, strings.Fields(args)...)
		if o.code != exitFailed || !strings.Contains(o.errOut, "there is no ") || o.out != "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, o.code, o.out, o.errOut)
		}
		if diff := cmp.Diff([]string(nil), deletions(f)); diff != "" {
			t.Errorf("%s deleted:\n%s", args, diff)
		}
	}
}

func deletions(f *fakeSessions) []string {
	var deleted []string
	for _, asked := range f.asked {
		if text, ok := asked.(string); ok && strings.HasPrefix(text, "delete ") {
			deleted = append(deleted, strings.TrimPrefix(text, "delete "))
		}
	}
	return deleted
}

func TestSessionsLsAsksForWhatWasNamed(t *testing.T) {
	f := &fakeSessions{}
	f.run(t, strings.Fields("sessions ls --since 7d --until 2026-01-01 --project p --agent a --model m --status error --title t --subagents --internal --sort cost --ascending --limit 7 --cursor c1")...)
	want := []any{archive.ListRequest{
		Since: "7d", Until: "2026-01-01", Project: "p", Harness: "a", Model: "m", Status: "error", Title: "t",
		Subagents: true, Internal: true, Sort: "cost", Ascending: true, PageRequest: archive.PageRequest{Limit: 7, Cursor: "c1"},
	}}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
}

func TestSessionsLsPages(t *testing.T) {
	f := &fakeSessions{sessions: 450}
	o := f.run(t, "sessions", "ls", "--all", "--json")
	var list archive.SessionList
	if err := json.Unmarshal([]byte(o.out), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Sessions) != 450 || list.NextCursor != "" || len(f.asked) != 3 {
		t.Errorf("%d sessions in %d calls, next %q", len(list.Sessions), len(f.asked), list.NextCursor)
	}
	f = &fakeSessions{sessions: 450}
	o = f.run(t, "sessions", "ls", "--limit", "250")
	if n := strings.Count(o.out, "\n"); n != 251 || !strings.Contains(o.errOut, "250 of 450 sessions; go on with --cursor c250") {
		t.Errorf("%d lines, stderr %q", n, o.errOut)
	}
	(&fakeSessions{}).run(t, "sessions", "ls").
		check(t, 0, "", "tapedeck: no sessions found: leave flags out, or take sessions in with tapedeck import\n")
}

func TestSessionsTable(t *testing.T) {
	f := &fakeSessions{}
	free, child, old := f.item(0), f.item(1), f.item(2)
	free.Usage = session.Usage{InputTokens: 1_234_567, Unpriced: true}
	child.Parent, child.AgentType = &session.Origin{Relation: session.Subagent}, "explorer"
	child.Usage = session.Usage{OutputTokens: 12, Partial: true, Cost: session.Dollars(0.0012)}
	old.EndedAt, old.DisplayTitle = 0, "日本"
	now := free.EndedAt.Std()
	child.EndedAt = session.TimeOf(now.Add(-50 * time.Hour))
	var b strings.Builder
	if err := sessionsTable([]archive.SessionItem{free, child, old}, now).print(&b); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"ID          ACTIVE  AGENT        PROJECT  TURNS  TOKENS      COST  TITLE\n" +
		`7a0c52f4-0     now  claude-code  upload       2    1.2M         ?  Fix the \x1b[31mupload` + "\n" +
		`7a0c52f401      2d  claude-code  upload       2     ≥12  ≥$0.0012  ↳ explorer Fix the \x1b[31mupload` + "\n" +
		"7a0c52f402       ?  claude-code  upload       2    100k     $0.25  日本\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSessionsShow(t *testing.T) {
	f := &fakeSessions{}
	f.run(t, "sessions", "show", "7a0c52").check(t, 0, ""+
		"SESSION        "+firstSession+"\n"+
		`title          Fix the \x1b[31mupload`+"\n"+
		"agent          claude-code 2.1\n"+
		"folder         /work/upload\n"+
		"branch         main\n"+
		"started (UTC)  2026-01-02 10:00  5m30s\n"+
		"status         ok\n"+
		"model          opus: 100k tokens (1.2k in, 98.0k cache read, 800 out) · $0.25\n"+
		"in all         2 turns · 3 tool calls, 1 failed · 100k tokens (1.2k in, 98.0k cache read, 800 out) · $0.25\n"+
		"sub-agents     1 session · 4 tool calls · 50 tokens · ?\n"+
		"\nturn 1 · 2026-01-02 10:00\n"+
		"❯ Fix the upload\n  please\n"+
		"▸ I look\n  at it.\n"+
		"  ✓ Bash  go test ./...  2.0 s\n"+
		"  ✗ Edit  a.go  error\n"+
		"  ! String not found\n"+
		`  … Task  {"odd":1,"b":[2]}  pending`+"\n"+
		"      ↳ sub-agent: tapedeck sessions show 01234567\n"+
		"  · compaction  pre_tokens 9000, trigger auto\n"+
		"  · hook_error  lint failed: 2 files\n"+
		"▸ line\n"+strings.Repeat("  line\n", mostLines-1)+"  … 18 more lines: --full\n"+
		"  = 3 tool calls, 1 failed · 1.7k tokens (1.0k in, 700 out) · $0.20 · 42.0 s\n"+
		"\nturn 2 · at an unknown time · command · interrupted\n"+
		"❯ /compact\n"+
		"  ! stopped by the user\n"+
		"  = no tokens counted\n", "")
}

func TestSessionsShowOneTurnInFull(t *testing.T) {
	f := &fakeSessions{}
	o := f.run(t, "sessions", "show", "7a0c52", "--trace", "1", "--full")
	for _, says := range []string{"please, all of it\n", "… where is it?\n", `  | ok \x1b[32mupload`, strings.Repeat("  line\n", 29)} {
		if !strings.Contains(o.out, says) {
			t.Errorf("lacks %q:\n%s", says, o.out)
		}
	}
	if strings.Contains(o.out, "turn 2") || strings.Contains(o.out, "SESSION") || strings.Contains(o.out, "--full") {
		t.Errorf("more than the turn:\n%s", o.out)
	}
	byID := (&fakeSessions{}).run(t, "sessions", "show", "7a0c52", "--trace", "trc_1", "--full")
	if byID != o {
		t.Errorf("by its trace_id it is another:\n%s", byID.out)
	}
	o = (&fakeSessions{}).run(t, "sessions", "show", "7a0c52", "--trace", "1", "--json")
	var trace archive.TraceDetail
	if err := json.Unmarshal([]byte(o.out), &trace); err != nil || len(trace.Spans) != 8 || trace.NextCursor != "" {
		t.Errorf("%d spans as JSON, %v", len(trace.Spans), err)
	}
}

// On a terminal no line is wider than it, but for the identifier, to be copied.
func TestSessionsShowWraps(t *testing.T) {
	f := &fakeSessions{}
	detail, err := f.Session(t.Context(), firstSession)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	v := &viewer{ops: f, session: detail, out: &b, width: 40, full: true}
	if err := v.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSuffix(line, "\n"); cellsOf(line) > 40 && !strings.Contains(line, firstSession) {
			t.Errorf("%d cells: %s", cellsOf(line), line)
		}
	}
}

func TestSessionsExport(t *testing.T) {
	(&fakeSessions{}).run(t, "sessions", "export", "7a0c52").check(t, 0, "# 7a0c52\n", "")
	f := &fakeSessions{}
	f.run(t, "sessions", "export", "7a0c52", "--format", "jsonl", "-o", "out.jsonl").check(t, 0, "", "")
	if text, err := os.ReadFile("out.jsonl"); err != nil || string(text) != "# 7a0c52\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if diff := cmp.Diff([]any{[2]string{"7a0c52", "jsonl"}}, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
	f = &fakeSessions{broken: true}
	o := f.run(t, "sessions", "export", "7a0c52", "-o", "broken.md")
	if _, err := os.Stat("broken.md"); err == nil || o.code != exitFailed {
		t.Errorf("a failed export leaves a file, exit code %d", o.code)
	}
}

func TestSessionsRm(t *testing.T) {
	f := &fakeSessions{}
	f.run(t, "sessions", "rm", "7a0c52", firstSession, "--yes").check(t, 0, "", ""+
		`tapedeck: 7a0c52f4  Fix the \x1b[31mupload, 2 turns, and 1 session of its sub-agents`+"\n"+
		"tapedeck: deleted 2 sessions\n")
	if diff := cmp.Diff([]string{firstSession}, deletions(f)); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
}

func TestConfirmTakesOnlyYes(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "yes": true, "n\n": false, "\n": false, "": false, "yep\n": false} {
		var said strings.Builder
		a := &app{in: strings.NewReader(answer), err: &said}
		if got, err := a.confirm("Sure?"); got != want || err != nil || said.String() != "Sure? [y/N] " {
			t.Errorf("%q: %v, %v, said %q", answer, got, err, said.String())
		}
	}
}

func TestSessionsRename(t *testing.T) {
	f := &fakeSessions{}
	f.run(t, "sessions", "rename", "7a0c52", "new name").check(t, 0, "", "tapedeck: session 7a0c52f4 is called new name\n")
	f.run(t, "sessions", "rename", "7a0c52", "--clear")
	if diff := cmp.Diff([]any{[2]string{"7a0c52", "new name"}, [2]string{"7a0c52", ""}}, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
}

func TestStats(t *testing.T) {
	f := &fakeSessions{stats: &store.Stats{By: store.ByModel, Groups: []store.StatsRow{
		{Key: "opus", Sessions: 2, Prompts: 1200, ToolCalls: 30, ToolErrors: 2,
			Usage: session.Usage{InputTokens: 1000, CacheReadTokens: 98_765, CacheWriteTokens: 10, OutputTokens: 500, Cost: session.Dollars(1234.5)}},
		{Sessions: 1, Usage: session.Usage{OutputTokens: 7, Partial: true, Unpriced: true}},
	}, Total: store.StatsRow{Sessions: 2, Usage: session.Usage{OutputTokens: 507, Partial: true, Cost: session.Dollars(1234.5)}}}}
	f.run(t, "stats", "--by", "model", "--since", "30d", "--agent", "codex").check(t, 0, ""+
		"MODEL    SESSIONS  PROMPTS  TOOL CALLS  FAILED  INPUT  CACHE READ  CACHE WRITE  OUTPUT  TOKENS        COST\n"+
		"opus            2    1,200          30       2   1.0k       98.8k           10     500    100k   $1,234.50\n"+
		"unknown         1        0           0       0      0           0            0      ≥7      ≥7           ?\n"+
		"total           2        0           0       0      0           0            0    ≥507    ≥507  ≥$1,234.50\n", "")
	want := []any{archive.StatsRequest{By: "model", Since: "30d", Harness: "codex"}}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
	(&fakeSessions{stats: &store.Stats{}}).run(t, "stats").
		check(t, 0, "", "tapedeck: no sessions found: leave flags out, or take sessions in with tapedeck import\n")
	refused := &fakeSessions{fakeArchive: fakeArchive{err: &archive.Error{
		Code: archive.CodeArgument, Message: `by "hour": want one of day, model`, Allowed: []string{"day", "model"},
	}}}
	refused.run(t, "stats", "--by", "hour").check(t, 2, "", "tapedeck: --by \"hour\": want one of day, model\n")
}

func TestWhatAToolWasTold(t *testing.T) {
	for input, want := range map[string]string{
		`{}`: "", ``: "", `"free text"`: "free text", `7`: "7", `{"odd": 1, "b":[2]}`: `{"odd": 1, "b":[2]}`,
		`{"command":["git","log"]}`: "git log", `{"timeout":5,"path":"/a"}`: "/a", `{"only":{"a":1}}`: `{"a":1}`,
		`"{\"all\":false,\"file_path\":\"a.go\",\"old\":\"cut of…"`: "a.go",
		`{"broken`: `{"broken`,
	} {
		if got := toldInput(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 99_949: "99.9k", 100_000: "100k", 999_499: "999k", 999_500: "1.0M", 12_300_000: "12.3M"} {
		if got := short(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	for amount, want := range map[float64]string{0: "$0.00", 0.25: "$0.25", 0.004: "$0.0040", 0.01: "$0.01", 1234.5: "$1,234.50"} {
		if got := dollars(session.Dollars(amount)); got != want {
			t.Errorf("%v is %s, want %s", amount, got, want)
		}
	}
	for ms, want := range map[session.Time]string{500: "0.5 s", 61_000: "1m1s", 3_600_000 + 120_000: "1h2m"} {
		if got := took(1, 1+ms); got != want {
			t.Errorf("%d ms are %s, want %s", ms, got, want)
		}
	}
}

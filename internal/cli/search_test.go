package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/config"
	"tapedeck/internal/sample"
	"tapedeck/internal/search"
	"tapedeck/internal/session"
	"tapedeck/internal/store/open"
)

func (f *fakeSearch) run(t *testing.T, args ...string) outcome {
	t.Helper()
	opened := &fakeArchive{search: f}
	o := runWithArchive(t, opened.opened, args...)
	if len(f.asked) > 0 && !opened.closed {
		t.Error("the archive was left open")
	}
	return o
}

func answerOf(hits ...search.Hit) *search.Answer {
	return &search.Answer{Query: "flaky upload", Count: len(hits), Results: hits, Mode: search.ModeHybrid}
}

func hitOf(sessionID string, score float64) search.Hit {
	return search.Hit{
		SessionID: sessionID, TraceID: "trc_1", SpanID: "llm_1", Score: score, UserPrompt: "Why does\nthe upload test fail?",
		Snippet: "…the flaky \x1b[31mupload is a race.", Highlights: [][2]int{{7, 12}, {18, 24}}, Model: "opus",
		StartedAt: session.TimeOf(time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)), Kind: session.KindLLM, Title: "Fix the upload",
		Harness: "claude-code", Project: "web",
	}
}

func TestSearchRefuses(t *testing.T) {
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"search"}, "an argument is missing: tapedeck search QUERY"},
		{[]string{"search", "a", "-q", "--json"}, "--quiet and --json contradict one another"},
		{[]string{"search", "a", "-k", "0"}, "--top must be from 1 to 100"},
		{[]string{"search", "a", "--top", "many"}, "want a whole number"},
		{[]string{"search", "a", "--min-score", "high"}, "--min-score"},
		{[]string{"search", "status", "extra"}, "unexpected argument extra"},
		{[]string{"search", "index", "extra"}, "unexpected argument extra"},
	} {
		f := &fakeSearch{}
		o := f.run(t, tc.args...)
		if o.code != exitUsage || !strings.Contains(o.errOut, tc.says) || o.out != "" || len(f.asked) > 0 {
			t.Errorf("%q: exit code %d, stderr %q, want %q; asked %v", tc.args, o.code, o.errOut, tc.says, f.asked)
		}
	}
}

func TestSearchThatIsOff(t *testing.T) {
	for _, args := range [][]string{{"search", "a"}, {"search", "status"}, {"search", "index"}} {
		o := (&fakeSearch{}).run(t, append(args, "--embedding-provider", "none")...)
		o.check(t, exitFailed, "", "tapedeck: search is off: embedding_provider is none\n  Hint: --embedding-provider builtin needs nothing else\n")
	}
}

func TestSearchErrors(t *testing.T) {
	f := &fakeSearch{err: &search.Error{
		Code: search.CodeArgument, Message: `harness "claude": no recorded session has it`, Nearest: []string{"claude-code"}, Allowed: []string{"claude-code", "codex"},
	}}
	f.run(t, "search", "a", "--agent", "claude").check(t, exitUsage, "",
		"tapedeck: --agent \"claude\": no recorded session has it\n  It can be: claude-code, codex\n  Nearest: claude-code\n")
	f = &fakeSearch{err: &search.Error{Code: search.CodeEmbedder, Message: "3 texts have no vectors", Hint: "mend it"}}
	f.run(t, "search", "index").check(t, exitFailed, "", "tapedeck: 3 texts have no vectors\n  Hint: mend it\n")
}

func TestSearch(t *testing.T) {
	other := hitOf("91be0d3c-0000-4000-8000-000000000001", 0.5)
	other.Kind, other.Similar, other.Title, other.Project, other.Model = session.KindTool, 3, "", "", ""
	other.UserPrompt, other.Snippet, other.Highlights = "", "go test", nil
	f := &fakeSearch{answer: answerOf(hitOf(firstSession, 1), other)}
	f.answer.Notice = "7 texts have no vectors yet"
	f.run(t, "search", "flaky", "upload").check(t, exitOK, ""+
		"1.00  2026-01-02 10:00 · web · claude-code · opus\n"+
		"      Fix the upload\n"+
		"      ❯ Why does the upload test fail?\n"+
		`      …the flaky \x1b[31mupload is a race.`+"\n"+
		"      7a0c52f4 trc_1\n"+
		"\n"+
		"0.50  2026-01-02 10:00 · claude-code · tool · and 3 like it\n"+
		"      go test\n"+
		"      91be0d3c trc_1\n", "tapedeck: 7 texts have no vectors yet\n")
	if diff := cmp.Diff([]any{search.Request{Query: "flaky upload", TopK: 5}}, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
}

func TestSearchArguments(t *testing.T) {
	f := &fakeSearch{answer: answerOf()}
	f.run(t, "search", "-k", "7", "--mode", "lexical", "--scope", "all", "--session", "7a0c52", "--project", "p", "--agent", "codex", "--model", "m",
		"--after", "7d", "--before", "2026-01-01", "--min-score", "0.5", "--", "status", "-x")
	want := search.Request{Query: "status -x", TopK: 7, Mode: "lexical", Scope: "all", SessionID: "7a0c52", Project: "p", Harness: "codex", Model: "m",
		After: "7d", Before: "2026-01-01", MinScore: 0.5}
	if diff := cmp.Diff([]any{want}, f.asked); diff != "" {
		t.Errorf("(-want +asked):\n%s", diff)
	}
}

func TestSearchThatFindsNothing(t *testing.T) {
	nothing := answerOf()
	nothing.Notice = "nothing found: ask in other words"
	for _, args := range [][]string{{"search", "a"}, {"search", "-q", "a"}} {
		(&fakeSearch{answer: nothing}).run(t, args...).check(t, exitOK, "", "tapedeck: nothing found: ask in other words\n")
	}
}

// Identifiers come once each, in the order of the scores.
func TestSearchForSessions(t *testing.T) {
	f := &fakeSearch{answer: answerOf(hitOf("b", 1), hitOf("a", 0.9), hitOf("b", 0.8), hitOf("c", 0.7))}
	f.run(t, "search", "-q", "a").check(t, exitOK, "b\na\nc\n", "")
}

func TestSearchJSON(t *testing.T) {
	o := (&fakeSearch{answer: answerOf(hitOf("b", 1))}).run(t, "search", "--json", "a")
	if o.code != exitOK || !strings.HasPrefix(o.out, "{\n  \"query\": \"flaky upload\",\n  \"count\": 1,\n  \"results\": [\n    {\n      \"session_id\": \"b\",") {
		t.Errorf("exit code %d: %s", o.code, o.out)
	}
}

// A search sees what was written just before it, and leaves no worker behind.
func TestSearchIsFresh(t *testing.T) {
	f := &fakeSearch{answer: answerOf(), status: search.Status{Healthy: true, Behind: 3, Missing: 4}}
	f.run(t, "search", "a")
	if !f.ran || !f.ended {
		t.Errorf("the worker ran: %v, ended: %v", f.ran, f.ended)
	}
}

func TestWhenNothingIsToBeWaitedFor(t *testing.T) {
	for _, tc := range []struct {
		status search.Status
		want   bool
	}{
		{search.Status{Healthy: true, Embedder: "builtin/x"}, true},
		{search.Status{Healthy: true, Embedder: "builtin/x", Missing: 3}, false},
		{search.Status{Healthy: true, Embedder: "builtin/x", Missing: 3, SetAside: 3}, true},
		{search.Status{Embedder: "ollama/x", Missing: 3}, true},
		{search.Status{Embedder: "ollama/x", Missing: 3, Behind: 1}, false},
	} {
		if got := isFresh(&tc.status); got != tc.want {
			t.Errorf("%+v: %v, want %v", tc.status, got, tc.want)
		}
	}
}

func TestSearchStatus(t *testing.T) {
	f := &fakeSearch{status: search.Status{
		Embedder: "ollama/embeddinggemma", LastError: "the embedder does not have the model", Documents: 1234, Missing: 40, SetAside: 1,
		Vectors: 5000, PerSecond: 12.34, Filling: "ollama/embeddinggemma (768)", Notice: "there are others",
	}}
	f.run(t, "search", "status").check(t, exitOK, ""+
		"EMBEDDER               ollama/embeddinggemma\n"+
		"health                 failing\n"+
		"error                  the embedder does not have the model\n"+
		"documents              1,234\n"+
		"traces to be read      0\n"+
		"texts without vectors  40, of which the embedder refuses 1 for now\n"+
		"vectors                5,000\n"+
		"texts a second         12.3\n"+
		"searched               words only\n"+
		"being filled           ollama/embeddinggemma (768)\n", "tapedeck: there are others\n")
	o := f.run(t, "search", "status", "--json")
	if !strings.Contains(o.out, `"last_error": "the embedder does not have the model"`) {
		t.Errorf("JSON is %s", o.out)
	}
}

// A backlog is told of with how fast others take it in, or what would.
func TestSearchStatusOfABacklog(t *testing.T) {
	f := &fakeSearch{status: search.Status{Healthy: true, Embedder: "builtin/x", Documents: 90, Missing: 50}, others: 20}
	o := f.run(t, "search", "status")
	if !strings.Contains(o.out, "\ntexts without vectors  30\n") || !strings.Contains(o.out, "\ntexts a second ") || o.errOut != "" {
		t.Errorf("%s%s", o.out, o.errOut)
	}
	f = &fakeSearch{status: search.Status{Healthy: true, Embedder: "builtin/x", Documents: 90, Missing: 50}}
	o = f.run(t, "search", "status")
	if strings.Contains(o.out, "texts a second") || !strings.Contains(o.errOut, "nothing is being taken in just now: ") {
		t.Errorf("%s%s", o.out, o.errOut)
	}
	o = (&fakeSearch{status: search.Status{Healthy: true, Embedder: "builtin/x"}}).run(t, "search", "status")
	if !strings.Contains(o.out, "\nsearched               nothing is there yet\n") || o.errOut != "" {
		t.Errorf("%s%s", o.out, o.errOut)
	}
}

func TestSearchIndex(t *testing.T) {
	f := &fakeSearch{status: search.Status{Embedder: "builtin/x", Healthy: true, Documents: 1200, Vectors: 3400, Missing: 1, SetAside: 1}}
	f.run(t, "search", "index").check(t, exitOK, "",
		"tapedeck: 1,200 documents with 3,400 vectors of builtin/x; 1 text has no vectors, of which the embedder refuses 1 for now\n")
}

func TestEmphasis(t *testing.T) {
	bold := styles{bold: "<", reset: ">"}
	for _, tc := range []struct {
		text   string
		ranges [][2]int
		width  int
		want   []string
	}{
		{"", nil, 0, nil},
		{"a flaky  upload", [][2]int{{2, 7}}, 0, []string{"a <flaky> upload"}},
		{"a flaky upload", [][2]int{{2, 14}}, 8, []string{"a <flaky>", "<upload>"}},
		{"upload_test.go", [][2]int{{0, 6}, {7, 11}}, 5, []string{"<upload>_<test>.go"}},
		{"ü\x07x", [][2]int{{2, 3}}, 0, []string{`ü<\x07>x`}},
		{"odd ranges", [][2]int{{-3, 2}, {1, 99}, {7, 5}, {200, 300}}, 0, []string{"<od><d> <ranges>"}},
	} {
		if diff := cmp.Diff(tc.want, emphasize(tc.text, tc.ranges, tc.width, bold)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}

// Mistakes in the settings stop the start, of servers too.
func TestSearchSettingsAreChecked(t *testing.T) {
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"--embedding-provider", "ollama", "--embedding-target", "ftp://host"}, "http://HOST:PORT"},
		{[]string{"--vector-store-target", "mysql://elsewhere/vectors"}, "want postgres://"},
	} {
		for _, command := range [][]string{{"search", "a"}, {"serve", "--api-listen", "127.0.0.1:0"}} {
			o := runWithArchive(t, openArchive, append(command, tc.args...)...)
			if o.code != exitUsage || !strings.Contains(o.errOut, tc.says) {
				t.Errorf("%q %q: exit code %d, stderr %q; want %q", command, tc.args, o.code, o.errOut, tc.says)
			}
		}
	}
}

// Commands that do not search need no embedder.
func TestEmbedderIsOpenedWhereItIsNeeded(t *testing.T) {
	o := runWithArchive(t, openArchive, "store", "info", "--embedding-provider", "ollama", "--embedding-target", "ftp://host")
	if o.code != exitOK {
		t.Errorf("exit code %d, stderr %q", o.code, o.errOut)
	}
}

// What is imported while the index is kept up to date is found by meaning soon.
func TestImportedTextIsFound(t *testing.T) {
	logs := t.TempDir()
	if _, err := sample.WriteSessions(logs); err != nil {
		t.Fatal(err)
	}
	opened, err := openArchive(t.Context(), archiveOptions{
		Store: open.Options{Dir: t.TempDir()}, Embedder: embedderOptions(&config.Config{EmbeddingProvider: config.ProviderBuiltin}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := opened.Searcher()
	err = beside(ctx, s.Run, func(ctx context.Context) error {
		if _, err := opened.Import(ctx, archive.ImportRequest{Paths: []string{logs}}, nil); err != nil {
			return err
		}
		for {
			found, err := s.Search(ctx, search.Request{Query: "flaky upload race"})
			if err != nil {
				return err
			}
			if found.Count > 0 && found.Mode == search.ModeHybrid && found.Notice == "" {
				if best := found.Results[0]; best.Title != "Fix the flaky upload test" || !strings.Contains(best.Snippet, "race") {
					t.Errorf("the best hit is %+v", best)
				}
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestNoneIsNotSearched(t *testing.T) {
	if embedderOptions(&config.Config{EmbeddingProvider: config.ProviderNone}) != nil {
		t.Error("none is searched all the same")
	}
}

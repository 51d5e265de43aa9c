package aider

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

const header = "\n# aider chat started at 2026-01-02 03:04:05\n\n"

// history writes text to a history; ␣ stands for the two spaces with which aider
// ends its lines.
func history(t testing.TB, text string) string {
	t.Helper()
	return transcripttest.Save(t, t.TempDir(), fileName, strings.ReplaceAll(text, "␣", lineBreak))
}

// scripts are the scripts of all sessions in a history.
func scripts(t *testing.T, text string) [][]string {
	t.Helper()
	var all [][]string
	for _, events := range sessions(t, history(t, text)) {
		all = append(all, script(events))
	}
	return all
}

func TestCorpus(t *testing.T) {
	path := corpustest.Path(t, "agents/aider/agentsview.aider.chat.history.md")
	if !New().Claims(&transcript.File{Path: path}) {
		t.Error("is not claimed")
	}
	var got [][]string
	for _, events := range sessions(t, path) {
		got = append(got, script(events))
	}
	want := [][]string{
		{
			"typed: add a retry to the webhook",
			"answer: I'll add exponential backoff to the webhook handler.\n\nHere is the plan:\n\n#### Step 1\nWrap the call in a loop.",
			"note console: Applied edit to src/webhook.py\nApplied edit to src/webhook.py\nCreating empty file src/retry.py\nDid not apply edit to src/skip.py (--dry-run)\nSkipping edits to src/other.py",
		},
		{
			"typed: make the timeout configurable",
			"answer: Done. The timeout now reads from the environment.",
			"note console: Applied edit to src/config.py",
		},
	} // the third has no prompt
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBlocks(t *testing.T) {
	tests := map[string]struct {
		text string
		want [][]string
	}{
		"a prompt of several lines": {
			header + "#### one␣\n#### ␣\n####   two␣\n\nyes\n",
			[][]string{{"typed: one\n\n  two", "answer: yes"}},
		},
		"commands": {
			header + "#### /add a.py␣\n\n> Added a.py to the chat␣\n\n#### !ls␣\n\n#### /etc/hosts is what?␣\n\na file\n",
			[][]string{{"command: /add a.py", "note console: Added a.py to the chat", "command: !ls", "typed: /etc/hosts is what?", "answer: a file"}},
		},
		"enter alone": {
			header + "#### <blank>␣\n\n> hm␣\n\n#### hi␣\n", [][]string{{"note console: hm", "typed: hi"}},
		},
		"quotes and headings in an answer": {
			header + "#### hi␣\n\n#### Plan\n> a quote\n```\n# aider chat\n```\n\n> Applied edit to a␣\n",
			[][]string{{"typed: hi", "answer: #### Plan\n> a quote\n```\n# aider chat\n```", "note console: Applied edit to a"}},
		},
		"without aider's marks, headings behind text and code": {
			header + "#### hi\nSure:\n```sh\n> x\n#### y\n```\n#### Plan\ngo\n> Applied edit to a\n\n#### next\n",
			[][]string{{"typed: hi", "answer: Sure:\n```sh\n> x\n#### y\n```\n#### Plan\ngo", "note console: Applied edit to a", "typed: next"}},
		},
		"text before the first session": {
			"#### early␣\n\nyes\n" + header + "#### hi␣\n", [][]string{{"typed: hi"}, {"typed: early", "answer: yes"}},
		},
		"text before the first session, without a prompt": {
			"\nsome notes\n" + header + "#### hi␣\n", [][]string{{"typed: hi"}},
		},
		"no prompt":             {header + "> Aider v0.86.1␣\n", nil},
		"carriage returns":      {strings.ReplaceAll(header+"#### hi␣\n\nyes\nno\n", "\n", "\r\n"), [][]string{{"typed: hi", "answer: yes\nno"}}},
		"invalid UTF-8 and NUL": {header + "#### h\xff\x00i␣\n", [][]string{{"typed: h\ufffd\ufffdi"}}},
		"no time":               {"# aider chat started at noon\n\n#### hi␣\n", [][]string{{"answer: # aider chat started at noon", "typed: hi"}}},
		"empty":                 {"", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scripts(t, test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSession(t *testing.T) {
	events := sessions(t, history(t, header+
		"> Aider v0.86.1␣\n> Main model: anthropic/claude-x with diff edit format␣\n> Weak model: claude-y␣\n> Git repo: .git with 3 files␣\n\n#### hi␣\n\nyes\n\n> Tokens: 5.2k sent, 342 received. Cost: $0.02 message, $0.11 session.␣\n> Model: gpt-x with whole edit format␣\n\n#### more␣\n\nno\n"))[0]
	if got := transcripttest.Of[*session.Facts](events)[0].StartedAt.String(); got != "2026-01-02T03:04:05.000Z" {
		t.Errorf("started at %s", got)
	}
	contexts := []*session.Context{{HarnessVersion: "0.86.1"}, {Model: "anthropic/claude-x"}, {Model: "gpt-x"}}
	if diff := cmp.Diff(contexts, transcripttest.Of[*session.Context](events)); diff != "" {
		t.Error(diff)
	}
	answers := transcripttest.Of[*session.Answer](events)
	if len(answers) != 3 || answers[0].Merge != answers[1].Merge || answers[1].Merge == answers[2].Merge {
		t.Fatalf("%d answers, want one with its tokens and one without", len(answers))
	}
	want := &session.Usage{InputTokens: 5200, OutputTokens: 342, Cost: session.Dollars(0.02), Partial: true}
	if diff := cmp.Diff(want, answers[1].Usage); diff != "" {
		t.Error(diff)
	}
	if !answers[2].Usage.Partial {
		t.Error("an answer without a count is not marked partial")
	}
}

func TestTokens(t *testing.T) {
	tests := map[string]struct {
		line string
		want session.Usage
		is   bool
	}{
		"exact":    {"Tokens: 5,244 sent, 142 received.", session.Usage{InputTokens: 5244, OutputTokens: 142}, true},
		"request":  {"Tokens: 900 sent, 12 received. Cost: $0.0031 request, $1.50 session.", session.Usage{InputTokens: 900, OutputTokens: 12, Cost: session.Dollars(0.0031)}, true},
		"millions": {"Tokens: 1.2M sent, 3k received.", session.Usage{InputTokens: 1_200_000, OutputTokens: 3000, Partial: true}, true},
		"cache": {"Tokens: 12k sent, 8k cache write, 3k cache hit, 500 received. Cost: $1,000.5 message, $0.2 session.",
			session.Usage{InputTokens: 1000, CacheWriteTokens: 8000, CacheReadTokens: 3000, OutputTokens: 500, Cost: session.Dollars(1000.5), Partial: true}, true},
		"cache that was not sent": {"Tokens: 10 sent, 30 cache hit, 5 received.", session.Usage{CacheReadTokens: 30, OutputTokens: 5}, true},
		"nonsense":                {"Tokens: .,. sent, 99999999999999999999 received.", session.Usage{}, false},
		"talk":                    {"Tokens are counted", session.Usage{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, is := tokens(test.line)
			if is != test.is {
				t.Fatalf("a report: %v, want %v", is, test.is)
			}
			if diff := cmp.Diff(test.want, got); is && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	events := sessions(t, history(t, header+"#### hi␣\n\n> litellm.RateLimitError: slow down␣\n\n#### again␣\n\nI will\n\n> ^C again to exit␣\n"))[0]
	var got []string
	for _, n := range transcripttest.Of[*session.Note](events) {
		got = append(got, n.Name+" "+string(n.Status))
	}
	if diff := cmp.Diff([]string{"error error", "console ", "interrupted interrupted", "console "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCopiesAreOneSession(t *testing.T) {
	one := header + "> Aider v1␣\n\n#### hi␣\n\nyes\n"
	other := strings.Replace(header, "03:04:05", "04:00:00", 1) + "#### more␣\n"
	if got := scripts(t, one+other); len(got) != 2 {
		t.Fatalf("%d sessions, want 2", len(got))
	}
	paths := []string{history(t, one), history(t, one+other), history(t, "notes\n"+other+one)}
	if got := sessions(t, paths...); len(got) != 2 {
		t.Errorf("%d sessions in copies of two", len(got))
	}
	if got := scripts(t, one+strings.Replace(one, "hi", "ho", 1)); len(got) != 2 {
		t.Errorf("%d sessions, want 2 of one second", len(got))
	}
	if got := scripts(t, one+one); len(got) != 2 {
		t.Errorf("%d sessions, want 2 that begin alike in one second", len(got))
	}
}

func TestHistoryThatGrows(t *testing.T) {
	text := strings.ReplaceAll("#### early␣\n\nyes\n"+header+"> Aider v1␣\n\n#### hi␣\n#### there␣\n\nan answer\n\n#### Heading\n\n> Tokens: 5 sent, 6 received.␣\n\n"+
		header+"#### second of that second␣\n\nmore"+strings.Replace(header, "03:04", "05:06", 1)+"\n#### last␣\n\nok\n", "␣", lineBreak)
	dir := t.TempDir()
	whole := newTape()
	readFrom(t, transcripttest.Save(t, dir, fileName, text), transcript.Cursor{}, whole)
	for _, step := range []int{1, 7, 40} {
		grown, cursor := newTape(), transcript.Cursor{}
		for n := 0; n <= len(text); n += step {
			cursor = readFrom(t, transcripttest.Save(t, dir, fileName, text[:n]), cursor, grown)
		}
		readFrom(t, transcripttest.Save(t, dir, fileName, text), cursor, grown)
		if diff := cmp.Diff(whole.Records, grown.Records); diff != "" {
			t.Errorf("in steps of %d: %s", step, diff)
		}
	}
}

func TestGrownHistoryIsReadFromItsLastSession(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for n := range 20 {
		text.WriteString(strings.Replace(header, "03:04:05", "03:04:"+string(rune('0'+n/10))+string(rune('0'+n%10)), 1) + "#### hi\n\nyes\n")
	}
	cursor := readFrom(t, transcripttest.Save(t, dir, fileName, text.String()), transcript.Cursor{}, newTape())
	s := newTape()
	readFrom(t, transcripttest.Save(t, dir, fileName, text.String()+"and more\n"), cursor, s)
	if len(s.Records) != 1 {
		t.Errorf("%d sessions were read again for a line more", len(s.Records))
	}
	s = newTape()
	readFrom(t, transcripttest.Save(t, dir, fileName, header+"#### another file\n"), cursor, s)
	if len(s.Records) != 1 {
		t.Errorf("%d sessions of a file that was written anew, want 1", len(s.Records))
	}
}

// A line or answer may be longer than what is held of it.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 2*maxLine+100)
	text := header + "#### " + long + "␣\n\n" + long + "\n" + long + "\n\n> done␣\n"
	got := scripts(t, text)[0]
	if len(got) != 3 || got[0] != "typed: "+long || got[1] != "answer: "+long+"\n"+long {
		t.Fatalf("%d events, of %d and %d bytes", len(got), len(got[0]), len(got[1]))
	}
	s := newTape()
	readFrom(t, history(t, text), transcript.Cursor{}, s)
	for _, records := range s.Records {
		for key, r := range records {
			if len(r.Body) > maxBlock+maxLine {
				t.Errorf("block %s has %d bytes", key, len(r.Body))
			}
		}
	}
}

func TestCut(t *testing.T) {
	s := newTape()
	readFrom(t, history(t, header+"#### hi␣\n\nyes\n\n> Tok"), transcript.Cursor{}, s)
	if got := s.sessions(t); len(s.Cuts) != 1 || len(script(got[0])) != 2 {
		t.Errorf("cut %v, events %q", s.Cuts, script(got[0]))
	}
	s = newTape()
	readFrom(t, history(t, header+"#### hi␣\n\nyes, and no line break"), transcript.Cursor{}, s)
	if got := script(s.sessions(t)[0]); len(s.Cuts) != 0 || got[1] != "answer: yes, and no line break" {
		t.Errorf("cut %v, events %q", s.Cuts, got)
	}
}

func TestClaims(t *testing.T) {
	tests := map[string]struct {
		name, text string
		want       bool
	}{
		"its name":       {fileName, "", true},
		"what it holds":  {"chat.md", header, true},
		"other Markdown": {"README.md", "# aider\n\n# aider chat started at 2026-01-02 03:04:05\n", false},
		"other files":    {"chat.txt", header, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := New().Claims(&transcript.File{Path: transcripttest.Save(t, t.TempDir(), test.name, test.text)}); got != test.want {
				t.Errorf("claimed: %v, want %v", got, test.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	want := []string{fileName, "/home/me/" + fileName}
	if diff := cmp.Diff(want, New().Places(transcript.Environment{Home: "/home/me"})); diff != "" {
		t.Error(diff)
	}
}

// FuzzRead reads a history whole, and grown at any place: both must give the
// same records.
func FuzzRead(f *testing.F) {
	f.Add(header+"#### hi  \n\nyes\n> Tokens: 1k sent, 2 received.  \n", 20)
	f.Add("#### a\nb\n```\n> c\n"+header+header+"#### d\n", 9)
	dir := f.TempDir()
	path := dir + "/" + fileName
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		whole, grown := newTape(), newTape()
		write(t, path, text[:at])
		cursor := readFrom(t, path, transcript.Cursor{}, grown)
		write(t, path, text)
		readFrom(t, path, cursor, grown)
		readFrom(t, path, transcript.Cursor{}, whole)
		if diff := cmp.Diff(whole.Records, grown.Records); diff != "" {
			t.Fatal(diff)
		}
		whole.sessions(t)
	})
}

func write(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

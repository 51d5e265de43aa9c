package pi

import (
	"context"
	"encoding/json"
	"errors"
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

func TestClaims(t *testing.T) {
	for first, want := range map[string]bool{
		header("own", ""):                         true,
		"\ufeff\n" + header("own", ""):            true,
		user(0, "a", "null", "part of a session"): true,
		`{"type":"session","id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","provider":"version 1"}`: true,
		``:                            false,
		`x`:                           false,
		`{"type":"session"}`:          false,
		`{"type":"session","id":"x"}`: false,
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"codex"}}`:                 false,
		`{"type":"user.message","data":{},"id":"copilot","parentId":null,"timestamp":"2026-01-01T00:00:00Z"}`: false,
		`{"type":"user","uuid":"claude","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z"}`:                false,
		`{"type":"session_start","id":"droid"}`:                                                               false,
	} {
		if got := New().Claims(&transcript.File{Path: write(t, "f.jsonl", first)}); got != want {
			t.Errorf("claims %v, want %v: %s", got, want, first)
		}
	}
}

func TestPlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"usual":               {nil, "/home/x/.pi/agent/sessions"},
		"another agent":       {map[string]string{"PI_CODING_AGENT_DIR": "/opt/pi"}, "/opt/pi/sessions"},
		"an agent at home":    {map[string]string{"PI_CODING_AGENT_DIR": "~/pi"}, "/home/x/pi/sessions"},
		"sessions themselves": {map[string]string{"PI_CODING_AGENT_DIR": "/opt/pi", "PI_CODING_AGENT_SESSION_DIR": "/s"}, "/s"},
	} {
		got := New().Places(transcript.Environment{Home: "/home/x", Getenv: func(name string) string { return tc.env[name] }})
		if !slices.Equal(got, []string{filepath.FromSlash(tc.want)}) {
			t.Errorf("%s: places %v, want %s", name, got, tc.want)
		}
	}
}

// TestCorpus reads every Pi file of the corpus.
func TestCorpus(t *testing.T) {
	path := corpustest.Path(t, "agents/pi/agent-sessions-small.jsonl")
	if !New().Claims(&transcript.File{Path: path}) {
		t.Error("it is not claimed")
	}
	s := read(t, path)
	if len(s.records) != 9 || len(s.lost)+len(s.unknown)+s.cut != 0 {
		t.Errorf("%d records, lost %v, unknown %v, cut %d, want 9 and no loss", len(s.records), s.lost, s.unknown, s.cut)
	}
	got := events(t, s.records, nil)
	want := []string{
		"typed: Read hello.py and summarize what it prints without editing files.", "answer: hello.py prints a fixture greeting.",
		"note compaction:", "summary: hello.py prints a fixture greeting.",
		"typed: Add one concise follow-up sentence.", "answer: hello.py prints a fixture greeting.",
		"note compaction:", "summary: hello.py prints a fixture greeting.",
	}
	if diff := cmp.Diff(want, script(got)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if u := usageOfAll(got); u != (session.Usage{InputTokens: 24, OutputTokens: 14}) {
		t.Errorf("used %+v, want 24 in, 14 out", u)
	}
}

// someEntries is a session with branches.
func someEntries() []string {
	return []string{
		header("own", `,"parentSession":"/s/2026_019e19b4-eb48-746a-aa6b-8dfcfa37954b.jsonl"`),
		user(1, "a", "null", "one"), assistant(2, "b", "a", "1"), `{"broken": "x`,
		user(2, "c", "b", "two") + user(2, "d", "b", "two otherwise"), assistant(3, "e", "d", "2"),
		message(1, "f", "e", `"role":"bashExecution","command":"ls"`), // the clock was put back
		entry(4, "session_info", "g", "f", `"name":"Named"`),
	}
}

// TestGrowing reads a file in pieces that end anywhere, and at once: the records
// are the same.
func TestGrowing(t *testing.T) {
	whole := read(t, write(t, "s.jsonl", someEntries()...))
	if len(whole.lost) != 1 || len(whole.records) != 8 {
		t.Fatalf("%d records, lost %v, want 8 and one", len(whole.records), whole.lost)
	}
	text := []byte(strings.Join(someEntries(), "\n") + "\n")
	for _, step := range []int{5, 90, 400} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		grown, at := &tape{}, transcript.Cursor{}
		for end := step; ; end += step {
			if err := os.WriteFile(path, text[:min(end, len(text))], 0o600); err != nil {
				t.Fatal(err)
			}
			at = readFrom(t, path, at, grown)
			if end >= len(text) {
				break
			}
		}
		if diff := cmp.Diff(whole.records, grown.records); diff != "" {
			t.Errorf("in steps of %d: records (-whole +grown):\n%s", step, diff)
		}
		if grown.facts.ForkedFrom == nil || at.Offset != int64(len(text)) {
			t.Errorf("in steps of %d: facts %+v, offset %d of %d", step, grown.facts, at.Offset, len(text))
		}
	}
}

// TestOrder: records stand in the order of the file, the header before all,
// whatever the clock said.
func TestOrder(t *testing.T) {
	records := read(t, write(t, "s.jsonl", someEntries()...)).records
	if !slices.IsSortedFunc(records, func(a, b session.Record) int {
		if a.Place().Before(b.Place()) {
			return -1
		}
		return 1
	}) {
		t.Error("records are not in the order of the file")
	}
	if records[0].Order != 0 || records[1].Order == 0 {
		t.Errorf("orders %d, %d, want none for the header alone", records[0].Order, records[1].Order)
	}
}

// TestSlices: a part of a file has the keys and the stream that it has in the whole.
func TestSlices(t *testing.T) {
	const name = "2026-01-02T03-04-05_019e19b4-eb48-746a-aa6b-8dfcfa37954b.jsonl"
	lines := []string{header("019e19b4-eb48-746a-aa6b-8dfcfa37954b", ""), user(1, "a", "null", "one"), assistant(2, "b", "a", "1"), user(3, "c", "b", "two")}
	whole, part := read(t, write(t, name, lines...)), read(t, write(t, name, lines[2:]...))
	if whole.ref != part.ref {
		t.Errorf("streams %v and %v, want one", whole.ref, part.ref)
	}
	for i, r := range part.records {
		of := whole.records[i+2]
		if r.Key != of.Key || r.Order != of.Order || r.Origin != of.Origin {
			t.Errorf("record %d is %s %d, in the whole %s %d", i, r.Key, r.Order, of.Key, of.Order)
		}
	}
}

// TestMigration: what Pi makes of an older file takes its place.
func TestMigration(t *testing.T) {
	older := read(t, write(t, "s.jsonl",
		`{"type":"session","id":"own","timestamp":"2025-12-01T00:00:00.000Z","cwd":"/w","provider":"p","modelId":"m"}`,
		`{"type":"message","timestamp":"2025-12-01T00:00:01.000Z","message":{"role":"user","content":"hi"}}`,
		`{"type":"message","timestamp":"2025-12-01T00:00:02.000Z","message":{"role":"hookMessage","content":"x"}}`,
		`{"type":"compaction","timestamp":"2025-12-01T00:00:03.000Z","summary":"s","firstKeptEntryIndex":1,"tokensBefore":9}`,
	)).records
	newer := read(t, write(t, "s.jsonl",
		`{"type":"session","id":"own","timestamp":"2025-12-01T00:00:00.000Z","cwd":"/w","provider":"p","modelId":"m","version":3}`,
		`{"type":"message","timestamp":"2025-12-01T00:00:01.000Z","message":{"role":"user","content":"hi"},"id":"a","parentId":null}`,
		`{"type":"message","timestamp":"2025-12-01T00:00:02.000Z","message":{"role":"custom","content":"x"},"id":"b","parentId":"a"}`,
		`{"type":"compaction","timestamp":"2025-12-01T00:00:03.000Z","summary":"s","tokensBefore":9,"id":"c","parentId":"b","firstKeptEntryId":"a"}`,
	)).records
	for i := range older {
		if older[i].Key != newer[i].Key || older[i].Version >= newer[i].Version {
			t.Errorf("record %d: %s of version %d, then %s of %d, want one key and a higher version", i, older[i].Key, older[i].Version, newer[i].Key, newer[i].Version)
		}
	}
}

// TestFork: what was copied counts nothing in the fork, wherever it hangs there.
func TestFork(t *testing.T) {
	parent := read(t, write(t, "p.jsonl", header("mum", ""), user(1, "a", "null", "one"), entry(1, "label", "l", "a", `"label":"x"`), assistant(2, "b", "l", "1"), user(3, "c", "b", "two")))
	kid := read(t, write(t, "k.jsonl", header("kid", `,"parentSession":"/s/2026_mum.jsonl"`), user(1, "a", "null", "one"), assistant(2, "b", "a", "1"), user(4, "d", "b", "mine"), assistant(5, "e", "d", "2")))
	if want := (&session.Ref{Harness: harness, Key: "2026_mum"}); kid.facts.ForkedFrom == nil || *kid.facts.ForkedFrom != *want {
		t.Errorf("forked from %v, want %v", kid.facts.ForkedFrom, want)
	}
	got := events(t, kid.records, origins(parent.records))
	if diff := cmp.Diff([]string{"typed: mine", "answer: 2"}, script(got)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if total := usageOfAll(got).Total(); total != 11 {
		t.Errorf("used %d tokens, want 11", total)
	}
}

func TestForkedFrom(t *testing.T) {
	const id = "019e19b4-eb48-746a-aa6b-8dfcfa37954b"
	for more, want := range map[string]string{
		``: "",
		`,"parentSession":"/s/--w--/2026-05-12T01-02-27_` + id + `.jsonl"`: id,
		`,"parentSession":"C:\\s\\2026_` + id + `.jsonl"`:                  id,
		`,"parentSession":"` + id + `"`:                                    id,
		`,"branchedFrom":"/s/2026_` + id + `.jsonl"`:                       id,
		`,"parentSession":"own"`:                                           "",
		`,"parentSession":7`:                                               "",
	} {
		got := ""
		if from := read(t, write(t, "s.jsonl", header("own", more))).facts.ForkedFrom; from != nil {
			got = from.Key
		}
		if got != want {
			t.Errorf("%s: forked from %q, want %q", more, got, want)
		}
	}
}

func TestReadFails(t *testing.T) {
	_, err := New().Read(t.Context(), &transcript.File{Path: filepath.Join(t.TempDir(), "none")}, transcript.Cursor{}, &tape{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading nothing: %v, want %v", err, os.ErrNotExist)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Read(ctx, &transcript.File{Path: write(t, "s.jsonl", header("own", ""))}, transcript.Cursor{}, &tape{}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading when cancelled: %v, want %v", err, context.Canceled)
	}
	path := write(t, "s.jsonl", someEntries()...)
	at := readFrom(t, path, transcript.Cursor{}, &tape{})
	if err := os.WriteFile(path, []byte(header("new", "")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &tape{}
	if readFrom(t, path, at, s); s.ref.Key != "new" || len(s.records) != 1 {
		t.Errorf("of a file that was rewritten %d records of %v, want one of new", len(s.records), s.ref)
	}
}

// TestState: going on from a state gives what going on gives.
func TestState(t *testing.T) {
	records := read(t, write(t, "s.jsonl", someEntries()...)).records
	var out []session.Event
	var state []byte
	for _, r := range records {
		in, err := New().Interpreter(state)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, in.Add(r, false)...)
		var ok bool
		if state, ok = in.State(); !ok {
			t.Fatal("no state to go on from")
		}
	}
	if diff := cmp.Diff(events(t, records, nil), out); diff != "" {
		t.Errorf("told (-at once +going on):\n%s", diff)
	}
	if _, err := New().Interpreter([]byte("{")); err == nil {
		t.Error("a state that is none is taken")
	}
}

// FuzzInterpret: no entries make the interpreter fail, give an event twice under
// one key, or say what can't be stored.
func FuzzInterpret(f *testing.F) {
	for _, l := range someEntries() {
		f.Add([]byte(l), []byte(user(1, "x", "y", "z")))
	}
	f.Add([]byte(entry(0, "compaction", "a", "null", `"usage":{"input":1}`)), []byte(message(0, "a", "null", `"role":"toolResult","usage":{"input":1}`)))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		in, err := New().Interpreter(nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []session.Event
		for i, body := range [][]byte{first, second, first} {
			r := session.Record{Key: string(rune('a' + i)), Order: int64(i), Body: body}
			told = append(told, in.Add(r, i == 2)...)
		}
		told = append(told, in.End()...)
		seen := map[string]bool{}
		for _, e := range told {
			if seen[e.Key] {
				t.Errorf("two events have the key %s", e.Key)
			}
			seen[e.Key] = true
			if _, err := json.Marshal(e.What); err != nil {
				t.Errorf("%T can't be stored: %v", e.What, err)
			}
		}
	})
}

package codex

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

func TestClaims(t *testing.T) {
	long := `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","base_instructions":{"text":"` + strings.Repeat("x", 100<<10) + `"}}}`
	for first, want := range map[string]bool{
		meta("own", ""):                  true,
		long:                             true,
		"\ufeff\r\n\n" + meta("own", ""): true,
		`{"payload":{},"timestamp":"x","type":"turn_context"}`:                          true,
		`{"id":"x","timestamp":"2025-06-01T00:00:00Z","git":{}}`:                        true,
		`{"type":"thread.started","thread_id":"x"}`:                                     true,
		`{"timestamp":"2025-09-10T10:00:00Z","role":"user","content":"hi","model":"m"}`: true,
		`{"created_at":"2025-09-10T12:00:00Z","role":"user","message":"hi"}`:            true,
		``:                          false,
		`x`:                         false,
		`[]`:                        false,
		`{"type":"session_meta"}`:   false,
		`{"type":"thread.started"}`: false,
		`{"session_id":"x","ts":1,"text":"history.jsonl"}`:                                                                                false,
		`{"id":"x","thread_name":"session_index.jsonl","updated_at":1}`:                                                                   false,
		`{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"Claude Code"}}`: false,
		`{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"pi"}`:                                           false,
		`{"sessionId":"x","projectHash":"gemini"}`:                                                                                        false,
		`{"role":"user","message":{"content":[{"type":"text","text":"cursor"}]}}`:                                                         false,
		`{"type":"session.start","data":{},"id":"copilot","timestamp":"2026-01-01T00:00:00Z"}`:                                            false,
		`{"id":"1","role":"user","content":"with an identifier","timestamp":"2026-01-01T00:00:00Z"}`:                                      false,
		`{"role":"user","content":[{"type":"text","text":"parts"}],"timestamp":"2026-01-01T00:00:00Z"}`:                                   false,
	} {
		if got := New().Claims(&transcript.File{Path: write(t, "f.jsonl", first)}); got != want {
			t.Errorf("claims %v, want %v: %.100s", got, want, first)
		}
	}
	if New().Claims(&transcript.File{Path: filepath.Join(t.TempDir(), "none.jsonl")}) {
		t.Error("claims a file that is not there")
	}
}

func TestPlaces(t *testing.T) {
	env := transcript.Environment{Home: "/home/x", Getenv: func(string) string { return "" }}
	want := []string{filepath.FromSlash("/home/x/.codex/sessions"), filepath.FromSlash("/home/x/.codex/archived_sessions")}
	if got := New().Places(env); !slices.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
	env.Getenv = func(name string) string { return map[string]string{"CODEX_HOME": "/opt/c"}[name] }
	if got := New().Places(env); got[0] != filepath.FromSlash("/opt/c/sessions") {
		t.Errorf("places %v, want those below CODEX_HOME", got)
	}
}

func TestKey(t *testing.T) {
	const id = "019a93b9-f380-7600-98ff-940e6b99603c"
	for name, tc := range map[string]struct{ file, first, want string }{
		"of the session":    {"rollout-x-" + id + ".jsonl", meta("own", ""), "own"},
		"of the file":       {"rollout-2025-11-17T15-30-28-" + id + ".jsonl", userEvent("x"), id},
		"of the first line": {"full.jsonl", userEvent("x"), hashOf([]byte(userEvent("x")))},
		"of a bare line":    {"f.jsonl", `{"id":"bare","timestamp":"2025-06-01T00:00:00Z","instructions":null}`, "bare"},
	} {
		if got := read(t, write(t, tc.file, tc.first)).ref.Key; got != tc.want {
			t.Errorf("%s: key %q, want %q", name, got, tc.want)
		}
	}
}

// someLines is a file with all that makes places and origins differ.
func someLines() []string {
	return lines([]string{meta("kid", `,"forked_from_id":"mum"`), meta("mum", "")}, history, own, history, []string{`{"broken": "x`, `{"type":"x"} {"type":"y"}`}, own)
}

// TestGrowing reads a file line by line, in pieces that end anywhere, and at
// once: the records are the same.
func TestGrowing(t *testing.T) {
	whole := read(t, write(t, "r.jsonl", someLines()...))
	if len(whole.lost) != 1 || len(whole.records) != len(someLines()) {
		t.Fatalf("%d records, lost %v, want %d and one", len(whole.records), whole.lost, len(someLines()))
	}
	text := []byte(strings.Join(someLines(), "\n") + "\n")
	for _, step := range []int{7, 100, 1000} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		grown, at := &tape{}, transcript.Cursor{}
		for end := step; ; end += step {
			if err := os.WriteFile(path, text[:min(end, len(text))], 0o600); err != nil {
				t.Fatal(err)
			}
			grown.ref = session.Ref{}
			at = readFrom(t, path, at, grown)
			if end >= len(text) {
				break
			}
		}
		if diff := cmp.Diff(whole.records, grown.records); diff != "" {
			t.Errorf("in steps of %d: records (-whole +grown):\n%s", step, diff)
		}
		if len(grown.lost) != 1 || grown.facts.ForkedFrom == nil || at.Offset != int64(len(text)) {
			t.Errorf("in steps of %d: lost %v, facts %+v, offset %d of %d", step, grown.lost, grown.facts, at.Offset, len(text))
		}
	}
}

// TestRewritten: a file that is shorter than what was read is read again.
func TestRewritten(t *testing.T) {
	path := write(t, "r.jsonl", someLines()...)
	at := readFrom(t, path, transcript.Cursor{}, &tape{})
	if err := os.WriteFile(path, []byte(meta("new", "")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &tape{}
	readFrom(t, path, at, s)
	if s.ref.Key != "new" || len(s.records) != 1 {
		t.Errorf("read %d records of %v, want one of new", len(s.records), s.ref)
	}
}

func TestKeysDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range read(t, write(t, "r.jsonl", someLines()...)).records {
		if seen[r.Key] {
			t.Errorf("key %s twice", r.Key)
		}
		seen[r.Key] = true
	}
}

func TestUnknown(t *testing.T) {
	s := read(t, write(t, "r.jsonl", meta("own", ""), item(`{"type":"new_item"}`), event(`{"type":"new_event"}`), rollout("new_line", `{}`), rollout("new_scalar", `7`), item(`{"type":"message"}`), item(`{}`), `{"x":1}`, `[]`))
	want := []string{"response_item/new_item", "event_msg/new_event", "new_line", "new_scalar", "response_item", "response_item", "array"}
	if diff := cmp.Diff(want, s.unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if len(s.records) != 9 {
		t.Errorf("%d records, want 9: what is unknown is kept", len(s.records))
	}
}

func TestReadFails(t *testing.T) {
	_, err := New().Read(t.Context(), &transcript.File{Path: filepath.Join(t.TempDir(), "none")}, transcript.Cursor{}, &tape{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading nothing: %v, want %v", err, os.ErrNotExist)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Read(ctx, &transcript.File{Path: write(t, "r.jsonl", meta("own", ""))}, transcript.Cursor{}, &tape{}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading when cancelled: %v, want %v", err, context.Canceled)
	}
	at, err := New().Read(t.Context(), &transcript.File{Path: write(t, "r.jsonl", meta("own", ""), meta("own", ""))}, transcript.Cursor{}, full{})
	if !errors.Is(err, errFull) || at.Offset != 0 {
		t.Errorf("reading to a full sink: offset %d, %v, want 0, %v", at.Offset, err, errFull)
	}
}

var errFull = errors.New("full")

// full is a sink that takes no record.
type full struct{}

func (full) Stream(session.Ref, session.StreamFacts) error { return nil }
func (full) Record(session.Ref, session.Record) error      { return errFull }
func (full) Lost(int64, string)                            {}
func (full) Unknown(string)                                {}
func (full) Cut(int64)                                     {}

package gemini

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

var ref = session.Ref{Harness: "gemini", Key: "s1"}

func TestSnapshotsInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	early := transcripttest.Save(t, dir, "a/session-1.json", snapshot("03:05:00", user("u", "hi"), model("g", "he", ""), user("x", "wrong")))
	late := transcripttest.Save(t, dir, "b/session-1.json", snapshot("03:06:00", user("u", "hi"), model("g", "hello", ""), user("v", "right")))
	want := []string{"typed: hi", "answer: hello", "typed: right"} // x was rewound
	for _, paths := range [][]string{{early, late}, {late, early}, {late, early, late}} {
		if diff := cmp.Diff(want, script(events(t, paths...))); diff != "" {
			t.Errorf("%v: %s", paths, diff)
		}
	}
}

func TestSnapshotIsKept(t *testing.T) {
	text := snapshot("03:05:00", user("u", "hi"), `{ "type":"user", "content":"no id" }`, `{ "type":"user", "content":"no id" }`)
	s := newTape()
	readFrom(t, transcripttest.Save(t, t.TempDir(), "session-1.json", text), transcript.Cursor{}, s)
	records := s.Records[ref]
	if len(records) != 4 {
		t.Fatalf("%d records, want the document and three messages", len(records))
	}
	rebuilt := string(records[keySession].Body)
	for key, r := range records {
		rebuilt = strings.Replace(rebuilt, `"`+key+`"`, string(r.Body), 1)
	}
	if diff := cmp.Diff(text, rebuilt); diff != "" {
		t.Error(diff)
	}
}

func TestSnapshotThatWasCompressed(t *testing.T) {
	dir := t.TempDir()
	early := transcripttest.Save(t, dir, "a/session-1.json", snapshot("03:05:00", user("u", "hi"), model("g", "hello", "")))
	late := transcripttest.Save(t, dir, "b/session-1.json", snapshot("03:06:00", user("c", "<state_snapshot>x</state_snapshot>"), user("v", "on")))
	want := []string{"typed: hi", "answer: hello", "note compaction:", "summary: <state_snapshot>x</state_snapshot>", "typed: on"}
	if diff := cmp.Diff(want, script(events(t, early, late))); diff != "" {
		t.Error(diff)
	}
}

// Resuming a session of an earlier version writes it anew as a log.
func TestSnapshotAndLogAreOneSession(t *testing.T) {
	dir := t.TempDir()
	document := transcripttest.Save(t, dir, "session-1.json", snapshot("03:05:00", user("u", "hi"), user("x", "wrong")))
	log := transcripttest.Save(t, dir, "session-1.jsonl", strings.Join([]string{logStart, user("u", "hi"), user("x", "wrong"), `{"$rewindTo":"x"}`, user("v", "right")}, "\n")+"\n")
	want := []string{"typed: hi", "typed: right"}
	for _, paths := range [][]string{{document, log}, {log, document}} {
		es := events(t, paths...)
		if diff := cmp.Diff(want, script(es)); diff != "" {
			t.Error(diff)
		}
		if es[len(es)-2].Key != "u" {
			t.Errorf("the first prompt has key %q, want that of its message", es[len(es)-2].Key)
		}
	}
}

func TestLogThatGoesOnFromASnapshot(t *testing.T) {
	text := snapshot("03:05:00", user("u", "hi"), model("g", "hello", "")) + "\n" + user("v", "more") + "\n" + `{"$rewindTo":"v"}` + "\n" + user("w", "other") + "\n"
	if diff := cmp.Diff([]string{"typed: hi", "answer: hello", "typed: other"}, script(events(t, transcripttest.Save(t, t.TempDir(), "session-1.jsonl", text)))); diff != "" {
		t.Error(diff)
	}
}

func TestLogThatGrows(t *testing.T) {
	lines := []string{logStart, user("u", "hi"), `{broken`, model("g", "hello", ""), `{"$rewindTo":"g"}`, user("v", "more")}
	text := strings.Join(lines, "\n") + "\n"
	dir := t.TempDir()
	whole := newTape()
	readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", text), transcript.Cursor{}, whole)

	grown, cursor := newTape(), transcript.Cursor{}
	for n := 1; n <= len(text); n += 7 {
		cursor = readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", text[:n]), cursor, grown)
	}
	cursor = readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", text), cursor, grown)
	if diff := cmp.Diff(whole.Records, grown.Records); diff != "" {
		t.Error(diff)
	}
	before := grown.Given
	readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", text+user("w", "last")+"\n"), cursor, grown)
	if grown.Given != before+1 {
		t.Errorf("%d records were given again for one more line", grown.Given-before)
	}
	if len(whole.Reasons) != 1 {
		t.Errorf("lost %q, want the broken line", whole.Reasons)
	}
}

func TestFileThatShrank(t *testing.T) {
	dir := t.TempDir()
	cursor := readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", logStart+"\n"+user("u", "a long prompt")+"\n"), transcript.Cursor{}, newTape())
	s := newTape()
	readFrom(t, transcripttest.Save(t, dir, "session-1.jsonl", logStart+"\n"), cursor, s)
	if len(s.Records[ref]) != 1 {
		t.Errorf("%d records, want the one line that is there", len(s.Records[ref]))
	}
}

func TestSubagent(t *testing.T) {
	start := strings.NewReplacer(`"s1"`, `"finder-1"`, `"main"`, `"subagent","directories":["/w","/x"]`).Replace(logStart)
	path := transcripttest.Save(t, t.TempDir(), "chats/s1/finder-1.jsonl", start+"\n"+user("u", "find it")+"\n"+user("v", "and more")+"\n")
	s := newTape()
	readFrom(t, path, transcript.Cursor{}, s)
	child := session.Ref{Harness: "gemini", Key: "finder-1"}
	if parent := s.Facts[child].Parent; parent == nil || *parent != ref {
		t.Errorf("parent %v, want %v", parent, ref)
	}
	es := interpret(t, s.Ordered(child))
	if diff := cmp.Diff([]string{"delegated: find it", "typed: and more"}, script(es)); diff != "" {
		t.Error(diff)
	}
	if cwd := transcripttest.Of[*session.Context](es)[0].Cwd; cwd != "/w" {
		t.Errorf("folder %q", cwd)
	}
}

func TestProjectRoot(t *testing.T) {
	dir := t.TempDir()
	transcripttest.Save(t, dir, "project/.project_root", "/home/me/project\n")
	path := transcripttest.Save(t, dir, "project/chats/session-1.json", snapshot("03:05:00", user("u", "hi")))
	if cwd := transcripttest.Of[*session.Context](events(t, path))[0].Cwd; cwd != "/home/me/project" {
		t.Errorf("folder %q", cwd)
	}
}

func TestDamage(t *testing.T) {
	tests := map[string]struct {
		text           string
		records        int
		lost, cut, new int
	}{
		"empty":               {"", 0, 0, 0, 0},
		"blank":               {"\ufeff\r\n \n", 0, 0, 0, 0},
		"cut document":        {snapshot("03:05:00", user("u", "hi"))[:120], 0, 0, 1, 0},
		"cut last line":       {logStart + "\n" + user("u", "hi") + "\n" + `{"id":"v"`, 2, 0, 1, 0},
		"no identifier":       {`{"id":"u","type":"user"}` + "\n", 0, 1, 0, 0},
		"glued and unknown":   {logStart + user("u", "hi") + "\n" + `{"id":"v","type":"hologram"}` + "\n" + `{"x":1}` + "\n", 4, 0, 0, 2},
		"a document of lines": {`{"sessionId":"s1","messages":[1,"x",null,{"id":{}}]}`, 5, 0, 0, 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newTape()
			readFrom(t, transcripttest.Save(t, t.TempDir(), "session-1.jsonl", test.text), transcript.Cursor{}, s)
			got := [4]int{len(s.Records[ref]), len(s.Reasons), len(s.Cuts), len(s.Kinds)}
			if want := [4]int{test.records, test.lost, test.cut, test.new}; got != want {
				t.Errorf("records, lost, cut, unknown: %v, want %v", got, want)
			}
			if len(s.Records[ref]) > 0 {
				interpret(t, s.Ordered(ref))
			}
		})
	}
}

func TestClaims(t *testing.T) {
	tests := map[string]struct {
		name, text string
		want       bool
	}{
		"log":                     {"chats/session-1.jsonl", logStart, true},
		"snapshot elsewhere":      {"x/full.json", snapshot("03:05:00", user("u", "hi")), true},
		"large first message":     {"chats/session-1.json", `{"messages":[{"content":"` + strings.Repeat("x", 70_000) + `"}]}`, true},
		"empty":                   {"chats/session-1.json", "", false},
		"other folder, no marks":  {"x/session-1.json", `{"sessionId":"s"}`, false},
		"Claude Code":             {"x/a.jsonl", `{"type":"user","uuid":"u","sessionId":"s","message":{"projectHash":"h"}}`, false},
		"provider traffic":        {"x/a.json", `{"method":"generateContent","response":{"sessionId":"s"}}`, false},
		"provider traffic, named": {"chats/a.responses", logStart, false},
		"list of prompts":         {"x/logs.json", `[{"sessionId":"s","messageId":0}]`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := transcripttest.Save(t, t.TempDir(), test.name, test.text)
			if got := New().Claims(&transcript.File{Path: path}); got != test.want {
				t.Errorf("claimed: %v, want %v", got, test.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	env := transcript.Environment{Home: "/home/me", Getenv: func(name string) string {
		return map[string]string{"GEMINI_CLI_HOME": "/else"}[name]
	}}
	if diff := cmp.Diff([]string{"/else/.gemini/tmp"}, New().Places(env)); diff != "" {
		t.Error(diff)
	}
}

// FuzzRead reads anything, and interprets it: nothing may panic, and reading
// again must give the same.
func FuzzRead(f *testing.F) {
	f.Add(snapshot("03:05:00", user("u", "hi"), model("g", "x", `,"toolCalls":[{"id":"c","status":"success"}]`)))
	f.Add(logStart + "\n" + user("u", "hi") + "\n" + `{"$rewindTo":"u"}` + "\n" + `{"$set":{"messages":[{}]}}`)
	f.Add(`{"history":[{"role":"user","parts":[{"text":"x"}]}]}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := dir + "/session-1.jsonl"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		first, second := newTape(), newTape()
		readFrom(t, path, transcript.Cursor{}, first)
		readFrom(t, path, transcript.Cursor{}, second)
		if diff := cmp.Diff(first.Records, second.Records); diff != "" {
			t.Fatal(diff)
		}
		for ref := range first.Records {
			interpret(t, first.Ordered(ref))
		}
	})
}

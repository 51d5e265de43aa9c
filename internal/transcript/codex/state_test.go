package codex

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// goOn interprets records, taking the interpreter apart before each one.
func goOn(t testing.TB, records []session.Record) []session.Event {
	t.Helper()
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
	in, err := New().Interpreter(state)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, in.End()...)
}

// TestState: going on from a state gives what going on gives.
func TestState(t *testing.T) {
	files := map[string][]string{
		"fork": someLines(),
		"exec": execRun,
		"tools": {
			meta("own", ""), userEvent("x"), call("c", "spawn_agent", `"{\"agent_type\":\"a\"}"`),
			event(`{"type":"exec_command_end","call_id":"c","exit_code":4}`), output("c", `"{\"agent_id\":\"k\"}"`),
			item(`{"type":"web_search_call","id":"w","status":"completed"}`), event(`{"type":"agent_message","message":"m"}`),
			message("user", "waits"),
		},
	}
	for name, content := range files {
		records := read(t, write(t, "r.jsonl", content...)).records
		if diff := cmp.Diff(events(t, records, nil), goOn(t, records)); diff != "" {
			t.Errorf("%s: told (-at once +going on):\n%s", name, diff)
		}
	}
	for _, path := range corpusFiles(t, "agents/codex", "agents/derived/codex") {
		records := read(t, path).records
		if diff := cmp.Diff(events(t, records, nil), goOn(t, records)); diff != "" {
			t.Errorf("%s: told (-at once +going on):\n%s", path, diff)
		}
	}
}

func TestBrokenState(t *testing.T) {
	if _, err := New().Interpreter([]byte("{")); err == nil {
		t.Error("a state that is none is taken")
	}
}

// FuzzInterpret: no lines make the interpreter fail, give an event twice under
// one key, or say what can't be stored.
func FuzzInterpret(f *testing.F) {
	for _, l := range lines(someLines(), execRun) {
		f.Add([]byte(l), []byte(userEvent("x")))
	}
	f.Add([]byte(item(`{"type":"message","role":"user","content":"x"}`)), []byte(`{"type":"exec_command_end"}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		in, err := New().Interpreter(nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []session.Event
		for i, body := range [][]byte{first, second, first, second} {
			r := session.Record{Key: recordKey(int64(i), body), Origin: "o", Order: int64(i), Body: body}
			told = append(told, in.Add(r, i == 0)...)
		}
		if _, ok := in.State(); !ok {
			t.Error("no state to go on from")
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

// FuzzOrigin: any value has an origin, and a copy has the same.
func FuzzOrigin(f *testing.F) {
	for _, l := range someLines() {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var a, b trail
		if a.origin(parseLine(body)) != b.origin(parseLine(append([]byte(" \n"), body...))) {
			t.Error("a copy has another origin")
		}
	})
}

var _ transcript.Interpreter = (*interpreter)(nil)

func BenchmarkInterpret(b *testing.B) {
	records := read(b, write(b, "r.jsonl", someLines()...)).records
	bytes := 0
	for _, r := range records {
		bytes += len(r.Body)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		events(b, records, nil)
	}
}

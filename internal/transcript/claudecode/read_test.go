package claudecode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustTime(text string) session.Time {
	at, ok := session.ParseTime(text)
	if !ok {
		panic(text)
	}
	return at
}

// TestRead: of which stream a line is, and what it is known by.
func TestRead(t *testing.T) {
	const id = testSession
	at := mustTime(testTime)
	main := session.Ref{Harness: harness, Key: id}
	hash := func(line string) string { return hashOf([]byte(strings.TrimSpace(line))) }
	summary := `{"type":"summary","summary":"x","leafUuid":"u9"}` + "\n"
	snapshot := `{"type":"file-history-snapshot","messageId":"u1","snapshot":{"timestamp":"` + testTime + `"}}` + "\n"
	progress := lineOf("p1", "", "progress", `"data":{"type":"agent_progress","agentId":"a1","message":{"uuid":"s1","timestamp":"2026-01-02T03:04:05.001Z","type":"user","message":{"content":"x"}}}`)
	inAgent := lineOf("s1", "", "user", `"agentId":"a1"`)
	meta := `{"agentType":"Explore"}`
	started := `{"type":"started","key":"v2:x","agentId":"a1"}` + "\n"
	type key struct {
		Key, Origin, About string
		Version, Order     int64
	}
	for _, test := range []struct {
		name string
		path string
		text string
		want map[string][]key
	}{
		{"a line", id + ".jsonl", lineOf("u1", "", "user"), map[string][]key{id: {{"u1", "u1", "", 1, int64(at)}}}},
		{"a file of any name", "full.jsonl", lineOf("u1", "", "user"), map[string][]key{id: {{"u1", "u1", "", 1, int64(at)}}}},
		{"a title of another session", id + ".jsonl", summary, map[string][]key{id: {{hash(summary), "", "u9", 1, 0}}}},
		{"a time inside", "x-" + id + ".jsonl", snapshot, map[string][]key{id: {{hash(snapshot), "", "", 1, int64(at)}}}},
		{"without session, in a file of any name", "copy.jsonl", snapshot, map[string][]key{"copy": {{hash(snapshot), "", "", 1, int64(at)}}}},
		{"a sub-agent's progress is of both", id + ".jsonl", progress, map[string][]key{
			id: {{"p1", "p1", "", 1, int64(at)}}, id + "/agent-a1": {{"s1", "s1", "", 0, int64(at) + 1}}}},
		{"a sub-agent's file beside its session's", "agent-a1.jsonl", inAgent, map[string][]key{id + "/agent-a1": {{"s1", "s1", "", 1, int64(at)}}}},
		{"a sub-agent's file in the session's folder", id + "/subagents/agent-a1.jsonl", `{"type":"user","uuid":"s1"}`, map[string][]key{id + "/agent-a1": {{"s1", "s1", "", 1, 0}}}},
		{"a sub-agent that names itself as its session", id + "/subagents/agent-a1.jsonl", strings.Replace(inAgent, id, "agent-a1", 1), map[string][]key{id + "/agent-a1": {{"s1", "s1", "", 1, int64(at)}}}},
		{"what is known of a sub-agent", id + "/subagents/agent-a1.meta.json", meta, map[string][]key{id + "/agent-a1": {{metaKey, "", "", 1, 0}}}},
		{"a workflow's sub-agent", id + "/subagents/workflows/wf_1/agent-a1.jsonl", strings.Replace(inAgent, id, id+"#agent-a1", 1), map[string][]key{id + "/agent-a1": {{"s1", "s1", "", 1, int64(at)}}}},
		{"a workflow's journal", id + "/subagents/workflows/wf_1/journal.jsonl", started, map[string][]key{id + "/agent-a1": {{hash(started), "", "", 1, 0}}}},
		{"an unknown type", id + ".jsonl", lineOf("u1", "", "brand-new"), map[string][]key{id: {{"u1", "u1", "", 1, int64(at)}}}},
		{"identifiers that no store takes", id + ".jsonl", `{"type":"user","uuid":"a\u0000","sessionId":"\u0000"}`, map[string][]key{hashOf([]byte("\x00")): {{hashOf([]byte("a\x00")), hashOf([]byte("a\x00")), "", 1, 0}}}},
		{"no object", id + ".jsonl", "[1]\n", map[string][]key{id: {{hash("[1]"), "", "", 1, 0}}}},
		{"wrong types", id + ".jsonl", `{"type":1,"uuid":{},"sessionId":[],"timestamp":{}}`, map[string][]key{id: {{hash(`{"type":1,"uuid":{},"sessionId":[],"timestamp":{}}`), "", "", 1, 0}}}},
		{"empty", id + ".jsonl", "", map[string][]key{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := readFile(t, write(t, filepath.Join(t.TempDir(), filepath.FromSlash(test.path)), test.text))
			got := map[string][]key{}
			for _, r := range read.records {
				got[r.ref.Key] = append(got[r.ref.Key], key{r.record.Key, r.record.Origin, r.record.About, r.record.Version, r.record.Order})
				if !strings.Contains(test.text, string(r.record.Body)) {
					t.Errorf("body %q is not what stands in the file", r.record.Body)
				}
				facts, told := read.facts[r.ref]
				isSub := strings.Contains(r.ref.Key, "/")
				if !told || (facts.Parent != nil) != isSub || isSub && *facts.Parent != main {
					t.Errorf("facts of %s: %+v", r.ref, facts)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTellsWhatItCouldNot(t *testing.T) {
	text := userText("a") + "broken\n" + lineOf("u2", "", "brand-new") + `{"type":"user","uui`
	got := readFile(t, write(t, filepath.Join(t.TempDir(), testSession+".jsonl"), text))
	first := len(userText("a"))
	if diff := cmp.Diff([]string{fmt.Sprintf("%d: not the beginning of a JSON object or array", first)}, got.lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"brand-new"}, got.unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{int64(strings.LastIndex(text, "{\"type\":\"user\",\"uui"))}, got.cut); diff != "" {
		t.Errorf("cut (-want +got):\n%s", diff)
	}
}

// A file that grows, and is read in the midst of lines, gives the records of the whole.
func TestReadOfGrowingFile(t *testing.T) {
	text := turn(1) + `{"type":"summary","summary":"x","leafUuid":"u"}` + userText("end")
	path := filepath.Join(t.TempDir(), testSession+".jsonl")
	whole := readFile(t, write(t, path, text))
	for _, step := range []int{61, 1000} {
		var grown collected
		var at transcript.Cursor
		for n := 0; n < len(text)+step; n += step {
			write(t, path, text[:min(n, len(text))])
			var err error
			if at, err = New().Read(context.Background(), fileAt(t, path), at, &grown); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(whole.byStream(), grown.byStream()); diff != "" {
			t.Errorf("grown by %d bytes (-whole +grown):\n%s", step, diff)
		}
		if len(grown.records) != len(whole.records) || at.Offset != int64(len(text)) {
			t.Errorf("grown by %d bytes: %d records to offset %d, want %d to %d", step, len(grown.records), at.Offset, len(whole.records), len(text))
		}
	}
}

func TestReadOfShorterFile(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), testSession+".jsonl"), userText("a"))
	var got collected
	if _, err := New().Read(context.Background(), fileAt(t, path), transcript.Cursor{Offset: 1 << 20}, &got); err != nil || len(got.records) != 1 {
		t.Errorf("read %d records, %v; want the whole file", len(got.records), err)
	}
}

var errFull = errors.New("the sink is full")

type fullSink struct{ collected }

func (*fullSink) Record(session.Ref, session.Record) error { return errFull }

func TestReadStops(t *testing.T) {
	file := fileAt(t, write(t, filepath.Join(t.TempDir(), testSession+".jsonl"), userText("a")))
	if at, err := New().Read(context.Background(), file, transcript.Cursor{}, &fullSink{}); !errors.Is(err, errFull) || at.Offset != 0 {
		t.Errorf("a sink that fails: %v at %d", err, at.Offset)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New().Read(ctx, file, transcript.Cursor{}, &collected{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a reading that is cancelled: %v", err)
	}
	file.Path += ".gone"
	if _, err := New().Read(context.Background(), file, transcript.Cursor{}, &collected{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// FuzzReadAndInterpret: whatever stands in a file, reading and interpreting end
// well; going on from any state gives what reading all at once gives.
func FuzzReadAndInterpret(f *testing.F) {
	f.Add([]byte(turn(1)))
	f.Add([]byte(answerLine("a1", "u1", "", taskCall) + lineOf("p1", "a1", "progress", `"parentToolUseID":"c1"`, `"data":{"type":"agent_progress","agentId":"a1","message":{"uuid":"s1","type":"user","message":{"content":"look"}}}`)))
	f.Add([]byte(userText("<system-reminder>x</system-reminder>\n<command-name>/a</command-name>")))
	f.Add([]byte(`{"type":"user","isSidechain":true,"message":{"content":[{"type":"tool_result","content":[{"type":"image","source":{"data":"!"}}]}]}}`))
	f.Add([]byte(`{"type":"system","subtype":"api_error","error":[]}{"type":"attachment","attachment":{"type":"queued_command","prompt":7}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		isClaude(data)
		got := &collected{}
		r := reading{source: sourceOf(testSession + ".jsonl"), told: map[session.Ref]bool{}, to: got}
		if _, err := jsonl.NewReader(bytes.NewReader(data), 0).Each(context.Background(), r.to, r.take); err != nil {
			t.Fatal(err)
		}
		for ref, records := range got.byStream() {
			in, err := New().Interpreter(nil)
			if err != nil {
				t.Fatal(err)
			}
			var atOnce []session.Event
			for _, r := range records {
				if !bytes.Contains(data, r.Body) {
					t.Fatalf("body %q is not in the file", r.Body)
				}
				atOnce = append(atOnce, in.Add(r, false)...)
			}
			keys := map[string]bool{}
			for _, e := range atOnce {
				if e.What == nil || e.Key == "" || keys[e.Key] {
					t.Fatalf("event without its own key: %+v", e)
				}
				keys[e.Key] = true
			}
			if inParts := interpret(records); !reflect.DeepEqual(atOnce, inParts) {
				t.Fatalf("going on from states differs in %s (-at once +in parts):\n%s", ref, cmp.Diff(atOnce, inParts))
			}
		}
	})
}

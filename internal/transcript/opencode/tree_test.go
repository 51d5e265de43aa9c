package opencode

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

const assistant = `"role":"assistant","modelID":"gpt-x","providerID":"openai","time":{"created":101,"completed":110}`

// tree reads files of a tree, by name, and interprets session s1.
func tree(t *testing.T, files map[string]string) []session.Event {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, content := range files {
		paths = append(paths, transcripttest.Save(t, dir, "storage/"+name, content))
	}
	s := newTape()
	for _, path := range paths {
		readFrom(t, path, transcript.Cursor{}, s)
	}
	if len(s.Reasons) > 0 {
		t.Fatalf("lost %q", s.Reasons)
	}
	return interpret(t, s.Ordered(own("s1")))
}

// answered is a tree with one answer that has these parts.
func answered(t *testing.T, message string, parts ...string) []session.Event {
	t.Helper()
	files := map[string]string{"message/s1/m1.json": `{"id":"m1","sessionID":"s1",` + assistant + message + `}`}
	for n, part := range parts {
		id := "prt_00000000000" + string(rune('0'+n)) + "xyz"
		files["part/m1/"+id+".json"] = `{"id":"` + id + `","sessionID":"s1","messageID":"m1",` + part + `}`
	}
	return tree(t, files)
}

func TestTreeOfAllVersions(t *testing.T) {
	const (
		ses  = `{"id":"s1","directory":"/w","version":"0.3","title":"New session - 2026","time":{"created":99,"updated":120}}`
		user = `{"id":"m1","sessionID":"s1","role":"user","time":{"created":100}}`
		text = `{"id":"p1","sessionID":"s1","messageID":"m1","type":"text","text":"hi"}`
	)
	tests := map[string]map[string]string{
		"current":                    {"session/proj/s1.json": ses, "message/s1/m1.json": user, "part/m1/p1.json": text},
		"oldest":                     {"session/info/s1.json": ses, "session/message/s1/m1.json": user, "session/part/s1/m1/p1.json": text},
		"a part without identifiers": {"session/proj/s1.json": ses, "message/s1/m1.json": user, "part/m1/p1.json": `{"id":"p1","type":"text","text":"hi"}`},
		"a file of another name":     {"session/proj/s1.json": ses, "message/s1/001.json": user, "part/p1.json": `{"id":"p1","messageID":"m1","type":"text","text":"hi"}`},
		"a prompt without its parts": {"session/proj/s1.json": ses, "message/s1/m1.json": strings.Replace(user, `"role"`, `"summary":{"title":"hi","body":null},"role"`, 1)},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			es := tree(t, files)
			if diff := cmp.Diff([]string{"typed: hi"}, script(es)); diff != "" {
				t.Error(diff)
			}
			if got := transcripttest.Of[*session.Title](es); got != nil {
				t.Errorf("title %v, want none: nobody gave it one", got[0])
			}
		})
	}
}

func TestEditedFilesInAnyOrder(t *testing.T) {
	const running = `{"id":"p1","sessionID":"s1","messageID":"m1","type":"tool","callID":"c","tool":"bash","state":{"status":"running","input":{"command":"a much longer command than what was kept"},"time":{"start":102}}}`
	const done = `{"id":"p1","sessionID":"s1","messageID":"m1","type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{},"output":"x","time":{"start":102,"end":103}}}`
	dir := t.TempDir()
	message := transcripttest.Save(t, dir, "storage/message/s1/m1.json", `{"id":"m1","sessionID":"s1",`+assistant+`}`)
	early, late := transcripttest.Save(t, dir, "a/storage/part/m1/p1.json", running), transcripttest.Save(t, dir, "b/storage/part/m1/p1.json", done)
	for _, paths := range [][]string{{message, early, late}, {late, early, message}} {
		if got := script(events(t, paths...)); got[len(got)-1] != "result c ok: x" {
			t.Errorf("%v: %q", paths, got)
		}
	}
}

func TestTools(t *testing.T) {
	tests := map[string]struct{ part, want string }{
		"good":        {`"type":"tool","callID":"c","tool":"bash","state":{"status":"completed","output":"x","metadata":{"exit":0}}`, "result c ok: x"},
		"exit code":   {`"type":"tool","callID":"c","tool":"bash","state":{"status":"completed","output":"x","metadata":{"exit":2}}`, "result c error: x exit code 2"},
		"invalid":     {`"type":"tool","callID":"c","tool":"invalid","state":{"status":"completed","output":"no tool lsx\nuse another"}`, "result c error: no tool lsx\nuse another no tool lsx"},
		"error":       {`"type":"tool","callID":"c","tool":"read","state":{"status":"error","error":"no file"}`, "result c error: no file no file"},
		"aborted":     {`"type":"tool","callID":"c","tool":"read","state":{"status":"error","error":"Tool execution aborted"}`, "result c interrupted: Tool execution aborted Tool execution aborted"},
		"running":     {`"type":"tool","callID":"c","tool":"read","state":{"status":"running"}`, `answer: c=read`},
		"no call id":  {`"type":"tool","tool":"read","state":{"status":"success","output":"x"}`, "result prt_000000000000xyz ok: x"},
		"attachments": {`"type":"tool","callID":"c","tool":"read","state":{"status":"completed","output":"","attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,AAAA"}]}`, "result c ok: [image/png 3]"},
		"task":        {`"type":"tool","callID":"c","tool":"task","state":{"status":"running","input":{"subagent_type":"general","description":"find"},"metadata":{"sessionId":"s2"}}`, "spawn c: opencode:s2 general"},
		"structure":   {`"type":"tool","callID":"c","tool":"x","state":{"status":"completed","output":{"a":[1]}}`, `result c ok: {"a":[1]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := script(answered(t, "", test.part))
			if last := strings.TrimSpace(got[len(got)-1]); last != test.want {
				t.Errorf("%q, want %q", last, test.want)
			}
		})
	}
}

// Early versions made all calls of a turn one message, whose tokens are those of
// the last.
func TestMessageOfSeveralCalls(t *testing.T) {
	es := answered(t, `,"cost":0.3,"tokens":{"input":2,"output":2}`,
		`"type":"step-start"`,
		`"type":"tool","callID":"c","tool":"read","state":{"status":"completed","output":"x","time":{"start":102,"end":104}}`,
		`"type":"step-finish","reason":"tool-calls","cost":0.1,"tokens":{"input":1,"output":1}`,
		`"type":"patch","files":["/w/a"]`,
		`"type":"step-start"`,
		`"type":"text","text":"done","time":{"start":106,"end":107}`,
		`"type":"step-finish","reason":"stop","cost":0.2,"tokens":{"input":2,"output":2}`,
	)
	want := []string{"answer: c=read ", "result c ok: x", "note patch: /w/a", "answer: done"}
	if diff := cmp.Diff(want, script(es)); diff != "" {
		t.Error(diff)
	}
	var sum session.Usage
	merges := map[string]bool{}
	for _, a := range transcripttest.Of[*session.Answer](es) {
		sum.Add(*a.Usage)
		merges[a.Merge] = true
	}
	if diff := cmp.Diff(session.Usage{InputTokens: 3, OutputTokens: 3, Cost: session.Dollars(0.3)}, sum); diff != "" {
		t.Error(diff)
	}
	if len(merges) != 2 || !merges["m1"] {
		t.Errorf("merged as %v", merges)
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		message string
		want    session.Usage
	}{
		"reasoning apart":           {`,"tokens":{"input":1,"output":5,"reasoning":3}`, session.Usage{InputTokens: 1, OutputTokens: 8, ReasoningTokens: 3}},
		"reasoning apart, by total": {`,"tokens":{"total":9,"input":1,"output":5,"reasoning":3}`, session.Usage{InputTokens: 1, OutputTokens: 8, ReasoningTokens: 3}},
		"reasoning in the output":   {`,"tokens":{"total":6,"input":1,"output":5,"reasoning":3}`, session.Usage{InputTokens: 1, OutputTokens: 5, ReasoningTokens: 3}},
		"not counted":               {``, session.Usage{Partial: true}},
		"nonsense":                  {`,"cost":{"input":24},"tokens":{"input":-1,"output":"x","cache":[]}`, session.Usage{Partial: true}},
		"cost without end":          {`,"cost":1e300,"tokens":{"input":1}`, session.Usage{InputTokens: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answers := transcripttest.Of[*session.Answer](answered(t, test.message, `"type":"text","text":"x"`))
			if diff := cmp.Diff(&test.want, answers[0].Usage); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	es := answered(t, `,"error":{"name":"MessageAbortedError","data":{"message":"aborted"}}`, `"type":"text","text":"I was"`)
	if diff := cmp.Diff([]string{"answer: I was", "note interrupted: MessageAbortedError: aborted"}, script(es)); diff != "" {
		t.Error(diff)
	}
	if err := transcripttest.Of[*session.Answer](es)[0].Error; err != "" {
		t.Errorf("a stop by a person is told as the failure %q", err)
	}
	es = answered(t, `,"error":{"name":"APIError","data":{"message":"overloaded"}}`, `"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"busy"}}`)
	if err := transcripttest.Of[*session.Answer](es)[0].Error; err != "APIError: overloaded" {
		t.Errorf("failure %q", err)
	}
	if note := transcripttest.Of[*session.Note](es)[0]; note.Name != "retry" || note.Status != session.StatusError || note.Text != "APIError: busy" {
		t.Errorf("note %+v", note)
	}
}

func TestPromptParts(t *testing.T) {
	es := tree(t, map[string]string{
		"session/p/s1.json":  `{"id":"s1","parentID":"s0","title":"Find (@general subagent)","time":{"created":99}}`,
		"message/s1/m1.json": `{"id":"m1","sessionID":"s1","role":"user","time":{"created":100}}`,
		"part/m1/p1.json":    `{"id":"p1","sessionID":"s1","messageID":"m1","type":"text","text":"look"}`,
		"part/m1/p2.json":    `{"id":"p2","sessionID":"s1","messageID":"m1","type":"file","filename":"a.png","mime":"image/png","url":"data:image/png;base64,AAAA"}`,
		"part/m1/p3.json":    `{"id":"p3","sessionID":"s1","messageID":"m1","type":"text","synthetic":true,"text":"Called the Read tool"}`,
		"part/m1/p4.json":    `{"id":"p4","sessionID":"s1","messageID":"m1","type":"subtask","prompt":"review it","agent":"reviewer","description":"Review"}`,
		"part/m1/p5.json":    `{"id":"p5","sessionID":"s1","messageID":"m1","type":"agent","name":"general"}`,
	})
	want := []string{"command: review it", "delegated: look | [image/png 3]", "injected: Called the Read tool"}
	if diff := cmp.Diff(want, script(es)); diff != "" {
		t.Error(diff)
	}
	if got := transcripttest.Of[*session.Facts](es)[0].AgentType; got != "general" {
		t.Errorf("agent %q", got)
	}
}

func TestTreeDamage(t *testing.T) {
	tests := map[string]struct {
		name, text string
		lost, cut  int
	}{
		"cut":                 {"part/m1/p1.json", `{"id":"p1","sess`, 0, 1},
		"no id":               {"part/m1/p1.json", `{"type":"text"}`, 1, 0},
		"no message anywhere": {"part/m1/p1.json", `{"id":"p1","type":"text"}`, 1, 0},
		"path in a message":   {"part/p1.json", `{"id":"p1","messageID":"../../x","type":"text"}`, 1, 0},
		"no JSON":             {"message/s1/m1.json", "hello\n", 1, 0},
		"empty":               {"message/s1/m1.json", "", 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newTape()
			readFrom(t, transcripttest.Save(t, t.TempDir(), "storage/"+test.name, test.text), transcript.Cursor{}, s)
			if len(s.Reasons) != test.lost || len(s.Cuts) != test.cut || len(s.Records) != 0 {
				t.Errorf("lost %q, cut %v, records %v", s.Reasons, s.Cuts, s.Records)
			}
		})
	}
}

func TestClaims(t *testing.T) {
	tests := map[string]struct {
		name, text string
		want       bool
	}{
		"channel":           {"opencode-dev.db", databaseMagic, true},
		"another database":  {"other.db", databaseMagic, false},
		"no database":       {"opencode.db", "text", false},
		"difference":        {"storage/session_diff/s1.json", `{"id":"s1","time":{"created":1},"title":"x"}`, false},
		"todo":              {"storage/todo/s1.json", `[]`, false},
		"message elsewhere": {"notes/m1.json", `{"id":"m1","role":"user","sessionID":"s1"}`, false},
		"project":           {"storage/project/p.json", `{"id":"p","worktree":"/w","time":{"created":1}}`, false},
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
	env := transcript.Environment{Home: "/home/me", Getenv: func(name string) string {
		return map[string]string{"OPENCODE_DB": "/data/oc.db"}[name]
	}}
	if diff := cmp.Diff([]string{"/home/me/.local/share/opencode", "/data/oc.db"}, New().Places(env)); diff != "" {
		t.Error(diff)
	}
}

// FuzzInterpret interprets a session, a message and a part of any form, from
// files and from rows.
func FuzzInterpret(f *testing.F) {
	f.Add(`{"id":"s1","title":"x","parentID":"s0"}`, `{"id":"m","role":"assistant","tokens":{"input":1},"error":{"name":"x"}}`, `{"type":"tool","state":{"status":"completed","output":[1]}}`)
	f.Add(`{"id":"s1","time_updated":1}`, `{"time_updated":1,"data":{"role":"user"}}`, `{"time_updated":1,"data":{"type":"file","url":"data:x,!!"}}`)
	f.Fuzz(func(t *testing.T, ses, message, part string) {
		in, err := New().Interpreter(nil)
		if err != nil {
			t.Fatal(err)
		}
		in.Add(session.Record{Key: keySession, Body: []byte(ses)}, false)
		in.Add(session.Record{Key: "m", Body: []byte(message)}, false)
		in.Add(session.Record{Key: "m/p", Body: []byte(part)}, false)
		in.Add(session.Record{Key: "m/prt_0123456789ab", Body: []byte(part)}, false)
		for _, e := range in.End() {
			if _, err := session.Pack(content(e.What)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzTree reads a file of the tree of any form.
func FuzzTree(f *testing.F) {
	f.Add(`{"id":"p1","messageID":"m1","sessionID":"s1","type":"text","time":{"start":1}}`)
	f.Add(`{"id":"p1"}{"id":2}`)
	dir := f.TempDir()
	path := transcripttest.Save(f, dir, "storage/part/m1/p1.json", "")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		New().Claims(&transcript.File{Path: path})
		s := newTape()
		readFrom(t, path, transcript.Cursor{}, s)
		for ref := range s.Records {
			interpret(t, s.Ordered(ref))
		}
	})
}

func content(what session.What) []session.Part {
	switch what := what.(type) {
	case *session.Prompt:
		return what.Content
	case *session.Answer:
		return what.Content
	case *session.Result:
		return what.Content
	}
	return nil
}

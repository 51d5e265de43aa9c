package langfuse

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

func TestRecords(t *testing.T) {
	first, second := observed(1, "a", "", "SPAN", ""), observed(2, "b", "a", "GENERATION", hi+hello)
	around := `{"trace":{"id":"t","name":"demo","timestamp":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:05:00.000Z"},"observations":[]}`
	s := tapeOf(t, save(t, "e.json", export("t", "", first, second)))
	got := map[string]string{}
	for key, r := range s.Records[session.Ref{Harness: harness, Key: "t"}] {
		got[key] = string(r.Body)
	}
	if diff := cmp.Diff(map[string]string{"trace/t": around, "observation/a": first, "observation/b": second}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFormsOfExports(t *testing.T) {
	a := observed(1, "a", "", "GENERATION", hi+hello)
	one, other := export("t", "", a), strings.ReplaceAll(export("u", `,"sessionId":null`, a), `"a"`, `"b"`)
	tests := map[string]struct {
		text string
		want []string // sessions
	}{
		"a document":            {one, []string{"t"}},
		"a list":                {"[" + one + "," + other + "]", []string{"t", "u"}},
		"lines":                 {one + "\n" + other + "\n", []string{"t", "u"}},
		"a session":             {export("t", `,"sessionId":"s"`, a) + "\n" + export("u", `,"sessionId":"s"`), []string{"s"}},
		"as the API has it":     {`{"id":"t","sessionId":"s","timestamp":"2026-01-02T03:04:05Z","observations":[` + a + `]}`, []string{"s"}},
		"a trace without an id": {`{"trace":{},"observations":[` + a + `]}`, []string{"t"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := save(t, "e.json", test.text)
			if diff := cmp.Diff(test.want, tapeOf(t, path).keys()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of an observation that was exported twice the one that was updated last counts.
func TestExportsInAnyOrder(t *testing.T) {
	at := func(minute, output string) string {
		return export("t", "", observed(1, "a", "", "GENERATION", hi+output+`,"updatedAt":"2026-01-02T03:0`+minute+`:00Z"`))
	}
	early, late := save(t, "e.json", at("5", "")), save(t, "e.json", at("6", hello))
	for _, paths := range [][]string{{early, late}, {late, early}, {late, early, late}} {
		s := tapeOf(t, paths...)
		if diff := cmp.Diff([]string{"typed: hi", "answer: hello"}, script(interpret(t, s.ordered("t")))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDamage(t *testing.T) {
	a := observed(1, "a", "", "SPAN", "")
	tests := map[string]struct {
		text                        string
		records, lost, cut, unknown int
	}{
		"empty":                  {"", 0, 0, 0, 0},
		"cut":                    {export("t", "", a)[:150], 0, 0, 1, 0},
		"not an export":          {`{"messages":[]}` + "\n" + export("t", "", a), 2, 1, 0, 0},
		"no identifiers":         {`{"trace":{},"observations":[{}]}`, 0, 1, 0, 0},
		"an observation without": {export("t", "", `{"type":"SPAN"}`, a), 2, 1, 0, 0},
		"a type of the future":   {export("t", "", observed(1, "a", "", "DREAM", "")), 2, 0, 0, 1},
		"wrong types": {`{"trace":{"id":7,"sessionId":8,"timestamp":9,"input":{"a":[]}},"observations":[{"id":1,"type":2,"startTime":3,"usageDetails":4,"costDetails":[],"metadata":"{","input":5,"level":[]},
			{"id":"g","type":"GENERATION","usageDetails":{"input":"many","output":-3},"costDetails":{"total":"x"},"metadata":{"attributes":7},"model":1}]}`, 3, 0, 0, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := tapeOf(t, save(t, "e.json", test.text))
			records := 0
			for ref, list := range s.Records {
				records += len(list)
				interpret(t, s.ordered(ref.Key))
			}
			got := [4]int{records, len(s.Reasons), len(s.Cuts), len(s.Kinds)}
			if want := [4]int{test.records, test.lost, test.cut, test.unknown}; got != want {
				t.Errorf("records, lost, cut, unknown: %v, want %v (%q)", got, want, s.Reasons)
			}
		})
	}
}

func TestClaims(t *testing.T) {
	a := observed(1, "a", "", "SPAN", "")
	tests := map[string]struct {
		name, text string
		want       bool
	}{
		"an export":              {"e.json", export("t", "", a), true},
		"a list":                 {"e.json", "[" + export("t", "", a) + "]", true},
		"a trace of great input": {"e.json", export("t", `,"input":"`+strings.Repeat("x", 70_000)+`"`, a), true},
		"as the API has it":      {"e.json", `{"id":"t","observations":[` + a + `]}`, true},
		"messages":               {"e.json", `{"messages":[{"role":"user"}]}`, false},
		"another trace":          {"e.json", `{"trace":{"id":"x","spans":[]}}`, false},
		"another name":           {"e.txt", export("t", "", a), false},
		"empty":                  {"e.json", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := New().Claims(&transcript.File{Path: save(t, test.name, test.text)}); got != test.want {
				t.Errorf("claimed: %v, want %v", got, test.want)
			}
		})
	}
}

// FuzzRead reads anything, and interprets it: nothing may panic, and reading it
// again must give the same.
func FuzzRead(f *testing.F) {
	f.Add(export("t", `,"input":"\"hi\""`, observed(1, "a", "", "GENERATION", hi+hello+`,"usageDetails":{"input":1,"input_cache_read":2}`), observed(2, "b", "a", "TOOL", `,"input":{},"output":"x"`)))
	f.Add(`[{"id":"t","observations":[{"id":"a","traceId":"t","metadata":"{\"attributes\":{\"llm.output_messages.0.message.content\":\"x\"}}"}]}]`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := dir + "/e.json"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		first, second := tapeOf(t, path), tapeOf(t, path)
		if diff := cmp.Diff(first.Records, second.Records); diff != "" {
			t.Fatal(diff)
		}
		for ref := range first.Records {
			interpret(t, first.ordered(ref.Key))
		}
	})
}

package otlp

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

func TestSessionOfASpan(t *testing.T) {
	named, other := spanText(traceA, 1, 0, inSession("s")), spanText(traceA, 3, 1, inSession("r"))
	unnamed, elsewhere := spanText(traceA, 2, 1), spanText(traceB, 4, 0)
	ofResource := strings.Replace(request(unnamed), `"attributes":[`, `"attributes":[`+text("session.id", "process")+`,`, 1)
	tests := map[string]struct {
		text string
		want map[string]int // records by session
	}{
		"named by the span":               {request(named), map[string]int{"s": 1}},
		"named by another span":           {request(named, unnamed), map[string]int{"s": 2}},
		"named by a later line":           {request(unnamed) + "\n" + request(named), map[string]int{"s": 2}},
		"of two names the least":          {request(named, unnamed, other), map[string]int{"r": 2, "s": 1}},
		"named by nothing":                {request(named, elsewhere), map[string]int{"s": 1, traceB: 1}},
		"named by the resource":           {ofResource, map[string]int{"process": 1}},
		"by its trace before by resource": {ofResource + request(named), map[string]int{"s": 2}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, got := tapeOf(t, save(t, "t.json", test.text)), map[string]int{}
			for ref, records := range s.Records {
				got[ref.Key] = len(records)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A record is a request with one span, cut out of the one that was there.
func TestRecordsStandForThemselves(t *testing.T) {
	first, second := spanText(traceA, 1, 0), `{ "traceId": "`+traceA+`", "spanId":"`+spanID(2)+`", "future":[1] }`
	s := tapeOf(t, save(t, "t.json", request(first, second)))
	records := s.ordered(traceA)
	if len(records) != 2 {
		t.Fatalf("%d records, want 2", len(records))
	}
	for _, r := range records {
		want := first
		if strings.HasSuffix(r.Key, spanID(2)) {
			want = second
		}
		body := gjson.ParseBytes(r.Body)
		if got := body.Get("scopeSpans.0.spans"); got.Raw != "["+want+"]" {
			t.Errorf("spans %s, want %s alone", got.Raw, want)
		}
		if body.Get("scopeSpans.0.scope.name").Str != "lib" || body.Get("resource.attributes.0.value.stringValue").Str != "planner" {
			t.Errorf("%s lost what stood around the span", r.Body)
		}
		again := tapeOf(t, save(t, "t.json", `{"resourceSpans":[`+string(r.Body)+`]}`))
		if got := again.Records[session.Ref{Harness: harness, Key: traceA}][r.Key]; !bytes.Equal(got.Body, r.Body) {
			t.Errorf("read again it is %s", got.Body)
		}
	}
}

func TestSpansInBothFormsOfJSON(t *testing.T) {
	plain := spanText("0102030405060708090a0b0c0d0e0f10", 1, 0, asked("hi", "hello", inSession("s"))...)
	want := script(events(t, request(plain)))
	if len(want) != 2 {
		t.Fatalf("%q, want a prompt and an answer", want)
	}
	for name, changes := range map[string][]string{
		"upper case, numbers":        {"0102030405060708090a0b0c0d0e0f10", "0102030405060708090A0B0C0D0E0F10", `"1700000001000000000"`, `1700000001000000000`, `"intValue":"10"`, `"intValue":10`},
		"protobuf's JSON":            {"0102030405060708090a0b0c0d0e0f10", "AQIDBAUGBwgJCgsMDQ4PEA==", spanID(1), "AAAAAAAAAAE=", `"status":{}`, `"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_OK"}`},
		"messages with a structure":  {`{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"hello\"}]}]"}`, `{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"assistant"}},{"key":"parts","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"type","value":{"stringValue":"text"}},{"key":"content","value":{"stringValue":"hello"}}]}}]}}}]}}]}}`},
		"a byte order mark and CRLF": {`{"traceId"`, "\r\n" + `{"traceId"`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.NewReplacer(changes...).Replace(plain)
			s := tapeOf(t, save(t, "t.json", "\ufeff"+request(changed)+"\r\n"+request(changed)))
			records := s.ordered("s")
			if len(records) != 1 || records[0].Key != "0102030405060708090a0b0c0d0e0f10/"+spanID(1) {
				t.Fatalf("records %+v, want the one", records)
			}
			if diff := cmp.Diff(want, script(interpret(t, records))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGrowingFile(t *testing.T) {
	lines := request(spanText(traceA, 1, 0, inSession("s"))) + "\n" + request(spanText(traceA, 2, 1)) + "\nbroken\n" + request(spanText(traceA, 3, 1)) + "\n"
	whole := tapeOf(t, save(t, "t.jsonl", lines))
	grown, cursor := newTape(), transcript.Cursor{}
	for n := 1; n <= len(lines); n += 11 {
		cursor = readFrom(t, save(t, "t.jsonl", lines[:n]), cursor, grown)
	}
	cursor = readFrom(t, save(t, "t.jsonl", lines), cursor, grown)
	if diff := cmp.Diff(whole.Records, grown.Records); diff != "" {
		t.Error(diff)
	}
	before := grown.Given
	readFrom(t, save(t, "t.jsonl", lines+request(spanText(traceA, 4, 1))), cursor, grown)
	if grown.Given != before+1 || len(grown.Records) != 1 {
		t.Errorf("%d records were given for one more line, in %v", grown.Given-before, grown.keys())
	}
	if len(whole.Reasons) != 1 || !strings.Contains(whole.Reasons[0], "JSON") {
		t.Errorf("lost %q, want the broken line, once", whole.Reasons)
	}
}

func TestFileThatIsAnother(t *testing.T) {
	old := request(spanText(traceA, 1, 0)) + "\n"
	cursor := readFrom(t, save(t, "t.jsonl", old), transcript.Cursor{}, newTape())
	for name, text := range map[string]string{
		"shorter": request() + "\n" + request(),
		"longer":  request(spanText(traceB, 1, 0)) + "\n" + request(spanText(traceB, 2, 0), spanText(traceB, 3, 0)) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTape()
			readFrom(t, save(t, "t.jsonl", text), cursor, s)
			want := tapeOf(t, save(t, "t.jsonl", text))
			if diff := cmp.Diff(want.Records, s.Records); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(request(spanText(traceA, 1, 0)))) // never fails
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := save(t, "t.json.gz", packed.String())
	if !New().Claims(&transcript.File{Path: path}) {
		t.Error("is not claimed")
	}
	s := newTape()
	cursor := readFrom(t, path, transcript.Cursor{}, s)
	if len(s.ordered(traceA)) != 1 || cursor.Offset != int64(packed.Len()) {
		t.Errorf("records %v, offset %d of %d", s.Records, cursor.Offset, packed.Len())
	}
	cut := tapeOf(t, save(t, "t.json.gz", packed.String()[:packed.Len()-20]))
	if len(cut.Cuts) != 1 {
		t.Errorf("a file that ends early: cut %v, lost %q", cut.Cuts, cut.Reasons)
	}
	broken := tapeOf(t, save(t, "t.json.gz", "\x1f\x8bnot that"))
	if len(broken.Reasons) != 1 {
		t.Errorf("a file that is broken: lost %q", broken.Reasons)
	}
}

func TestDamage(t *testing.T) {
	huge := strings.Replace(request(spanText(traceA, 1, 0)), "planner", strings.Repeat("p", maxAround), 1)
	tests := map[string]struct {
		text                        string
		records, lost, cut, unknown int
	}{
		"empty":                     {"", 0, 0, 0, 0},
		"cut document":              {request(spanText(traceA, 1, 0))[:200], 0, 0, 1, 0},
		"cut last line":             {request(spanText(traceA, 1, 0)) + "\n" + `{"resourceSpans":[`, 1, 0, 1, 0},
		"no spans":                  {`{"resourceMetrics":[]}` + "\n" + request(spanText(traceA, 1, 0)), 1, 1, 0, 0},
		"no identifiers":            {request(`{"name":"x"}`, `7`, `{"traceId":"`+traceA+`"}`), 1, 1, 0, 0},
		"wrong types":               {`{"resourceSpans":[1,{"scopeSpans":2},{"resource":3,"scopeSpans":[4,{"spans":5},{"spans":[{"traceId":"x","attributes":6,"events":7,"status":8}]}]}]}`, 1, 0, 0, 0},
		"a resource without bounds": {huge, 1, 1, 0, 0},
		"log records":               {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"` + traceA + `","eventName":"boot","timeUnixNano":"5"},{"body":{}}]}]}]}`, 1, 1, 0, 1},
		"a list of requests":        {`[` + request(spanText(traceA, 1, 0)) + `,` + request(spanText(traceA, 2, 0)) + `]`, 2, 0, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := tapeOf(t, save(t, "t.json", test.text))
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
	tests := map[string]struct {
		name, text string
		want       bool
	}{
		"a document":         {"a.json", request(spanText(traceA, 1, 0)), true},
		"lines":              {"a.jsonl", request(spanText(traceA, 1, 0)) + "\n", true},
		"a long first line":  {"a.jsonl", request(spanText(traceA, 1, 0, text("x", strings.Repeat("x", 70_000)))), true},
		"JavaScript's spans": {"a.json", `[{"name":"x","spanContext":{"traceId":"a","spanId":"b"},"startTime":[1,2]}]`, true},
		"logs of models":     {"a.json", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.choice"}]}]}]}`, true},
		"other logs":         {"a.json", `{"resourceLogs":[{"scopeLogs":[]}]}`, false},
		"metrics":            {"a.json", `{"resourceMetrics":[]}`, false},
		"attributes alone":   {"a.json", `{"gen_ai.operation.name":"chat"}`, false},
		"another name":       {"a.txt", request(spanText(traceA, 1, 0)), false},
		"empty":              {"a.json", "", false},
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
// in two steps must give what reading it at once gives.
func FuzzRead(f *testing.F) {
	f.Add(request(spanText(traceA, 1, 0, asked("hi", "hello")...))+"\n"+request(spanText(traceA, 2, 1, text("openinference.span.kind", "TOOL"))), 300)
	f.Add(`[{"name":"x","spanContext":{"traceId":"a","spanId":"b"},"parentSpanId":"b","attributes":{"ai.operationId":"ai.toolCall"},"startTime":[1,2],"events":[{"name":"exception"}]}]`, 3)
	f.Add(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"a","spanId":"b","eventName":"gen_ai.choice","body":{"kvlistValue":{"values":[{"key":"message","value":{"stringValue":"x"}}]}}}]}]}]}`, 0)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, cut int) {
		path := dir + "/t.jsonl"
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(text)
		whole := tapeOf(t, path)
		for ref := range whole.Records {
			interpret(t, whole.ordered(ref.Key))
		}
		if cut < 0 || cut > len(text) {
			return
		}
		steps := newTape()
		write(text[:cut])
		cursor := readFrom(t, path, transcript.Cursor{}, steps)
		write(text)
		readFrom(t, path, cursor, steps)
		for ref, records := range whole.Records {
			for key := range records {
				found := false
				for other := range steps.Records {
					_, there := steps.Records[other][key]
					found = found || there
				}
				if !found {
					t.Fatalf("%s of %s is lost when the file is read in two steps", key, ref)
				}
			}
		}
	})
}

package document

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/derive"
	"tapedeck/internal/session"
)

func textPart(text string) session.Part { return session.Part{Type: session.Text, Text: text} }
func thinking(text string) session.Part { return session.Part{Type: session.Thinking, Text: text} }
func resultOf(text string) session.Part { return session.Part{Type: session.ToolResult, Text: text} }
func named(text, name string) session.Part {
	return session.Part{Type: session.Text, Text: text, Name: name}
}

func callOf(input string) session.Part {
	return session.Part{Type: session.ToolCall, Name: "Tool", Input: json.RawMessage(input)}
}

func llm(input, output []session.Part) session.Span {
	return session.Span{Kind: session.KindLLM, Input: input, Output: output}
}

func TestOfAnLLMSpan(t *testing.T) {
	tests := []struct {
		name string
		span session.Span
		want string
	}{
		{"prompt and answer", llm([]session.Part{textPart("Why does it fail?")}, []session.Part{textPart("The lock is held.")}), "Why does it fail?\n\nThe lock is held."},
		{"without what the harness put in", llm([]session.Part{named("be brief", derive.InjectedPart), textPart("hi"), named("before", derive.SummaryPart)}, nil), "hi"},
		{"without calls and thoughts", llm(nil, []session.Part{thinking("hm"), textPart("I look."), callOf(`{"command":"ls"}`)}), "I look."},
		{"thoughts where there is nothing else", llm(nil, []session.Part{thinking("The cache is stale."), callOf(`{}`)}), "The cache is stale."},
		{"a call alone", llm(nil, []session.Part{callOf(`{"command":"ls"}`)}), ""},
		{"an error", session.Span{Kind: session.KindLLM, Error: "529 overloaded", Input: []session.Part{textPart("hi")}}, "hi\n\n529 overloaded"},
		{"an error that the answer tells", session.Span{Kind: session.KindLLM, Error: "529 overloaded", Output: []session.Part{textPart("API error: 529 overloaded")}}, "API error: 529 overloaded"},
		{"masked", llm([]session.Part{textPart("it is PASSWORD=hunter22 there")}, nil), "it is PASSWORD=[password] there"},
		{"an image", llm([]session.Part{{Type: session.Blob, Name: "a.png"}}, nil), ""},
		{"base64 alone", llm([]session.Part{textPart(strings.Repeat(drawn48, 9))}, nil), ""},
		{"an event", session.Span{Kind: session.KindEvent, Output: []session.Part{textPart("x")}}, ""},
		{"a root", session.Span{Kind: session.KindAgent, Input: []session.Part{textPart("x")}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Of(test.span)
			if diff := cmp.Diff(test.want, got.Text); diff != "" || ok != (test.want != "") {
				t.Errorf("%v (-want +got)\n%s", ok, diff)
			}
		})
	}
}

func TestOfNamesTheSpan(t *testing.T) {
	span := session.Span{ID: "llm_1", TraceID: "trc_1", SessionID: "s", Kind: session.KindLLM, Output: []session.Part{textPart("hello")}}
	got, ok := Of(span)
	want := Document{SessionID: "s", TraceID: "trc_1", SpanID: "llm_1", Kind: session.KindLLM, Text: "hello",
		Hash: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%v (-want +got)\n%s", ok, diff)
	}
}

func TestOfAToolSpan(t *testing.T) {
	tests := []struct {
		name, tool, input, output, err, want string
	}{
		{"shell", "Bash", `{"command":"go test ./...","description":"run tests","timeout":60000}`, "ok  \tx\t0.1s", "", "Bash\ngo test ./...\nrun tests\nok  x\t0.1s"},
		{"codex", "exec_command", `{"cmd":["bash","-lc","cargo build"],"workdir":"/src"}`, "error[E0308]: mismatched types", "error[E0308]: mismatched types", "exec_command\nbash -lc cargo build\n/src\nerror[E0308]: mismatched types"},
		{"an error that the output lacks", "Read", `{"file_path":"/a/foo_bar.go"}`, "", "no such file", "Read\n/a/foo_bar.go\nno such file"},
		{"names where they help", "Task", `{"subagent_type":"Explore","prompt":"find bd-q3fy"}`, "", "", "Task\nsubagent_type: Explore\nfind bd-q3fy"},
		{"short ones first", "Write", `{"content":"` + strings.Repeat("line\\n", 60) + `","file_path":"a.txt"}`, "", "", "Write\na.txt\n" + strings.TrimSpace(strings.Repeat("line\n", 60))},
		{"nested", "mcp__tracker__create", `{"issue":{"title":"Lock","labels":["bug","db"]},"edits":[{"path":"a"},{"path":"b"}]}`, "", "", "mcp__tracker__create\ntitle: Lock\nlabels: bug db\na\nb"},
		{"a secret by its name", "http", `{"headers":{"X-Api-Key":"` + drawn20 + `","Authorization":"Bearer ` + drawn20 + `"},"password":"a, b; c1!"}`, "", "", "http\nX-Api-Key: [api key]\nAuthorization: [access token]\npassword: a, b; c1!"},
		{"text as input", "apply_patch", `"*** Begin Patch"`, "Done", "", "apply_patch\n*** Begin Patch\nDone"},
		{"input that is no JSON", "x", `{"a": oops`, "", "", "x\n{\"a\": oops"},
		{"a reminder", "Read", `{"file_path":"a.go"}`, "1→package a\n\n<system-reminder>\nBe careful.\n</system-reminder>\n", "", "Read\na.go\n1→package a"},
		{"a reminder without an end", "Read", `{"file_path":"a.go"}`, "<system-reminder>\nx", "", "Read\na.go\n<system-reminder>\nx"},
		{"a name alone", "TodoRead", `{}`, "", "", ""},
		{"numbers alone", "wait", `{"ms": 100}`, "", "", ""},
		{"paths as they are", "Grep", `{"pattern":"foo_bar\\(","path":"a/b c/d-e.go"}`, "a/b c/d-e.go:120:  foo_bar(1)", "", "Grep\nfoo_bar\\(\na/b c/d-e.go\na/b c/d-e.go:120:  foo_bar(1)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			span := session.Span{Kind: session.KindTool, Name: test.tool, Error: test.err, Input: []session.Part{callOf(test.input)}, Output: []session.Part{resultOf(test.output)}}
			got, _ := Of(span)
			if diff := cmp.Diff(test.want, got.Text); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestOfALongOutputHasItsEnds(t *testing.T) {
	output := "first line\n" + strings.Repeat("in between\n", 100000) + "last line"
	got, _ := Of(session.Span{Kind: session.KindTool, Name: "Bash", Input: []session.Part{callOf(`{"command":"make"}`)}, Output: []session.Part{resultOf(output)}})
	if !strings.HasPrefix(got.Text, "Bash\nmake\nfirst line\nin between\n") || !strings.HasSuffix(got.Text, "in between\nlast line") {
		t.Errorf("its ends are %q and %q", got.Text[:40], got.Text[len(got.Text)-40:])
	}
	if !strings.Contains(got.Text, "in between\n[…]\nin between") || len(got.Text) > 2*outputEnd+100 {
		t.Errorf("%d bytes: %s", len(got.Text), got.Text)
	}
}

func TestOfALongPatchNamesItsFiles(t *testing.T) {
	patch := "*** Begin Patch\n"
	for _, name := range []string{"a/one.go", "b/two.go", "c/three.go"} {
		patch += "*** Update File: " + name + "\n" + strings.Repeat("+line of code\n", 300)
	}
	input, err := json.Marshal(map[string]string{"input": patch})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := Of(session.Span{Kind: session.KindTool, Name: "apply_patch", Input: []session.Part{callOf(string(input))}})
	if !strings.Contains(got.Text, "*** Update File: b/two.go\n*** Update File: c/three.go\n") {
		t.Errorf("got %s", got.Text)
	}
}

func TestOfALongTextIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"lines":     strings.Repeat("a line of some words\n", 100000),
		"no blanks": strings.Repeat("ab.", 700000),
		"wide":      strings.Repeat("字", 700000),
	} {
		got, ok := Of(llm([]session.Part{textPart("begin " + text + " end")}, []session.Part{textPart(text), textPart(text)}))
		if !ok || len(got.Text) > maxText || len(got.Text) < maxText/2 || !utf8.ValidString(got.Text) || !strings.Contains(got.Text, leftOut) {
			t.Errorf("%s: %d bytes", name, len(got.Text))
		}
	}
}

func TestTidy(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"lines are kept", "a\n\tb\n", "a\n\tb"},
		{"line ends", "a\r\nb\rc", "a\nb\nc"},
		{"progress", "10%\r20%\r\r100%\n", "10%\n20%\n100%"},
		{"empty lines", "a\n\n\n\nb", "a\n\nb"},
		{"blanks", "    a      b   \t \n", "    a  b"},
		{"deep indentation", strings.Repeat(" ", 99) + "a", strings.Repeat(" ", maxIndent) + "a"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[Kx", "red x"},
		{"title and link", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"},
		{"an escape that ends early", "a\x1b", "a"},
		{"printed over", "N\bNA\bA", "NA"},
		{"control characters", "some text here\x01 and more", "some text here and more"},
		{"binary", "text\n\x01\x02\x03\x04abc\n\x05\x06\x07\x01d\nmore", "text\n[…]\nmore"},
		{"not UTF-8 before", "\ufffd\ufffd\ufffdELF\n", "[…]"},
		{"marks of byte order", "\ufeffa\u200bb", "ab"},
		{"rules", strings.Repeat("=", 100), strings.Repeat("=", maxRepeat)},
		{"joined emoji", "👩\u200d💻", "👩\u200d💻"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, tidy(test.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWithoutBlobs(t *testing.T) {
	long := strings.Repeat(drawn48, 5)
	dump := ""
	for range dumpLines {
		dump += "00000010: 0300 3e00 0100 0000 6031 0000 0000 0000  ..>.....`1......\n"
	}
	mime := drawn48 + drawn20 + "abcdEFGH\n"
	directories := strings.Repeat("internal/transcript/claudecode/testdata/very/deep/folder/of/more\n", 5)
	tests := []struct{ name, text, want string }{
		{"base64", "a " + long + "== b", "a […] b"},
		{"just not long enough", "a " + long[:longRun-1], "a " + long[:longRun-1]},
		{"encrypted", "a gAAAA" + drawn90 + " b", "a […] b"},
		{"data URL", `src="data:image/png;base64,` + drawn48 + `"`, `src="data:image/png;base64,[…]"`},
		{"data URL, no base64", `url(data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22)`, `url(data:image/svg+xml,[…])`},
		{"data, no URL", `{"data": "a, b and some more words that follow it"}`, `{"data": "a, b and some more words that follow it"}`},
		{"wrapped base64", "a\n" + strings.Repeat(mime, 3) + "Qx9Zk==\nb", "a\n[…]\nb"},
		{"two lines of it", strings.Repeat(mime, 2), strings.Repeat(mime, 2)},
		{"folders", directories, directories},
		{"hashes", strings.Repeat(hex64+"\n", 9), strings.Repeat(hex64+"\n", 9)},
		{"hex dump", "a\n" + dump + "b", "a\n[…]\nb"},
		{"byte array", strings.Repeat("0x7f, 0x45, 0x4c, 0x46, 0x02, 0x01, 0x01, 0x00,\n", 9), "[…]\n"},
		{"table of numbers", strings.Repeat("10 20 30 40 50 60 70 80\n", 9), strings.Repeat("10 20 30 40 50 60 70 80\n", 9)},
		{"nothing", "go.sum h1:" + drawn36, "go.sum h1:" + drawn36},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, withoutBlobs(test.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A secret that stands where a long output is cut is not kept by half.
func TestACutDoesNotHalveASecret(t *testing.T) {
	token := "ghp" + "_" + drawn36
	for before := range 2 * len(token) {
		filler := strings.Repeat("word ", (rawEnd-len(token))/5) + strings.Repeat("w", before)
		text := filler + " " + token + " " + strings.Repeat("word ", rawEnd)
		got, _ := Of(session.Span{Kind: session.KindTool, Name: "Bash", Output: []session.Part{resultOf(text)}})
		if strings.Contains(got.Text, drawn36[20:]) || strings.Contains(got.Text, drawn16) {
			t.Fatalf("a part of the token is there, %d bytes in", before)
		}
	}
}

// checkDocument asserts what is promised of all documents.
func checkDocument(t *testing.T, span session.Span, d Document) {
	t.Helper()
	if len(d.Text) > maxText || !utf8.ValidString(d.Text) || strings.Contains(d.Text, "\x00") {
		t.Errorf("%s: %d bytes, valid: %v", span.ID, len(d.Text), utf8.ValidString(d.Text))
	}
	for i := 0; i < len(d.Text); i++ {
		if end := base64Byte.runEnd(d.Text, i); end-i >= longRun {
			t.Errorf("%s: base64 is left: %.60s…", span.ID, d.Text[i:end])
		} else {
			i = end
		}
	}
	for _, begin := range []string{pemBegin, pemEnd} {
		if _, after, found := strings.Cut(d.Text, begin); found && labelEnd(after, 0) > 0 {
			t.Errorf("%s: a PEM block is left: %.80s", span.ID, begin+after)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, span := range []session.Span{
		llm([]session.Part{textPart("hi " + jwtLike)}, []session.Part{textPart(strings.Repeat(drawn48, 5))}),
		{Kind: session.KindTool, Name: "x", Input: []session.Part{callOf(`{"a":[{"b":["c",{"d":1}]}]}`)}, Output: []session.Part{resultOf(block("A", "\n"))}},
	} {
		text, err := json.Marshal(span)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var span session.Span
		if json.Unmarshal(text, &span) != nil {
			return
		}
		d, ok := Of(span)
		if again, _ := Of(span); ok != (d.Text != "") || again != d {
			t.Errorf("%v: %q, and again %q", ok, d.Text, again.Text)
		}
		checkDocument(t, span, d)
	})
}

// Nothing recurses or grows with how deep or wide an input is.
func TestHostileInputs(t *testing.T) {
	for name, input := range map[string]string{
		"deep arrays":  strings.Repeat("[", 100000) + `"x"` + strings.Repeat("]", 100000),
		"deep objects": strings.Repeat(`{"a":`, 100000) + `"x"` + strings.Repeat("}", 100000),
		"many fields":  "{" + strings.TrimSuffix(strings.Repeat(`"a":"b",`, 200000), ",") + "}",
		"cut":          `{"a": "b`,
		"long name":    `{"` + strings.Repeat("password", 10000) + `":"x"}`,
	} {
		d, _ := Of(session.Span{Kind: session.KindTool, Name: name, Input: []session.Part{callOf(input)}})
		checkDocument(t, session.Span{ID: name}, d)
	}
}

func BenchmarkOf(b *testing.B) {
	text := madeText(rand.New(rand.NewPCG(1, 2)), 200<<10)
	span := llm([]session.Part{textPart(text)}, []session.Part{textPart("yes")})
	b.Run("text", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Of(span)
		}
	})
	for _, piece := range adversaries {
		hostile := strings.Repeat(piece, 1<<20/len(piece))
		span := llm([]session.Part{textPart(hostile)}, nil)
		b.Run("repeated "+strings.ToValidUTF8(piece, "?"), func(b *testing.B) {
			b.SetBytes(int64(len(hostile)))
			for b.Loop() {
				Of(span)
			}
		})
	}
}

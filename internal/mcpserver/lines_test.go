package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/deck"
)

const greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

const oneCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT 1"}}}` + "\n"

// says is what a server answers to a client that says all at once and leaves.
func says(t *testing.T, ctx context.Context, ops deck.Operations, in string, gone func() bool) (answers []reply) {
	t.Helper()
	var out bytes.Buffer
	if err := runLines(ctx, New(ops, Options{}), &lines{ctx: ctx, in: strings.NewReader(in), out: &out, gone: gone}); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for scan := bufio.NewScanner(&out); scan.Scan(); {
		line := scan.Bytes()
		var batch []reply
		if json.Unmarshal(line, &batch) == nil {
			answers = append(answers, batch...)
			continue
		}
		var one reply
		if err := json.Unmarshal(line, &one); err != nil || one.Version != "2.0" {
			t.Errorf("%q is no answer: %v", line, err)
		}
		answers = append(answers, one)
	}
	return answers
}

type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   struct {
		Code    int
		Message string
	} `json:"error"`
}

func stays() bool { return false }

// slow takes its time to answer a query, and heeds a cancellation.
func slow(takes time.Duration) *fake {
	return &fake{query: func(ctx context.Context, _ deck.QueryRequest) (*deck.QueryResult, error) {
		select {
		case <-time.After(takes):
			return &deck.QueryResult{}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

func TestCallsAreAnsweredAfterTheClientsLastWord(t *testing.T) {
	answers := says(t, t.Context(), slow(300*time.Millisecond), greeting+oneCall+strings.Replace(oneCall, "7", "8", 1), stays)
	var ids []string
	for _, a := range answers {
		if a.Result == nil {
			t.Errorf("%s: %+v", a.ID, a.Error)
		}
		ids = append(ids, string(a.ID))
	}
	slices.Sort(ids)
	if want := []string{"0", "7", "8"}; !slices.Equal(ids, want) {
		t.Errorf("answers to %q, want %q", ids, want)
	}
}

func TestCallsEndWhenNobodyListens(t *testing.T) {
	start := time.Now()
	says(t, t.Context(), slow(time.Minute), greeting+oneCall, func() bool { return true })
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("ended after %v", took)
	}
}

func TestCallsEndWhenTheServerIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, client := io.Pipe()
	defer client.Close()
	go func() {
		_, _ = io.WriteString(client, greeting+oneCall)
		time.Sleep(100 * time.Millisecond)
		stop()
	}()
	var out bytes.Buffer
	start := time.Now()
	err := runLines(ctx, New(slow(time.Minute), Options{}), &lines{ctx: ctx, in: in, out: &out, gone: stays})
	if took := time.Since(start); err != nil || took > 5*time.Second {
		t.Errorf("ended after %v with %v", took, err)
	}
}

// Whatever a line holds, the conversation goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":99,"method":"ping"}`
	for _, test := range []struct {
		name, line string
		code       int
		id         string
	}{
		{"no JSON", `{"jsonrpc":"2.0","id":1,`, -32700, "null"},
		{"text", "hello", -32700, "null"},
		{"two in a line", ping + ping, -32700, "null"},
		{"not UTF-8", "\xff\xfe", -32700, "null"},
		{"a number", "42", -32600, "null"},
		{"null", "null", -32600, "null"},
		{"an empty object", "{}", -32600, "null"},
		{"another version", `{"jsonrpc":"1.0","id":9,"method":"ping"}`, -32600, "9"},
		{"no version, a text for an id", `{"id":"x","method":"ping"}`, -32600, `"x"`},
		{"an object for an id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		{"an empty batch", "[]", -32600, "null"},
		{"a batch of nonsense", "[1]", -32600, "null"},
		{"a batch in a batch", "[[" + ping + "]]", -32600, "null"},
		{"a batch with an id twice", "[" + ping + "," + ping + "]", -32600, "null"},
		{"a line without bounds", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`, -32600, "1"},
		{"a line without bounds or an id", strings.Repeat(" ", 100) + "[" + strings.Repeat("1,", maxLine/2), -32600, "null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := says(t, t.Context(), &fake{}, greeting+test.line+"\n"+ping, stays)
			if len(answers) != 3 {
				t.Fatalf("%d answers, want 3: %+v", len(answers), answers)
			}
			slices.SortFunc(answers, func(a, b reply) int { return a.Error.Code - b.Error.Code })
			if got := answers[0]; got.Error.Code != test.code || string(got.ID) != test.id || got.Error.Message == "" {
				t.Errorf("got %d %q to %s, want %d to %s", got.Error.Code, got.Error.Message, got.ID, test.code, test.id)
			}
		})
	}
}

func TestLinesThatAreMessages(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":%,"method":"ping"}`
	id := func(id string) string { return strings.Replace(ping, "%", id, 1) }
	for name, in := range map[string]string{
		"blank lines":           "\n \n\t\r\n" + id("1") + "\n\n" + id("2") + "\n",
		"ends of Windows":       id("1") + "\r\n" + id("2") + "\r\n",
		"no end of line":        id("1") + "\n" + id("2"),
		"a batch":               "[" + id("1") + "," + id("2") + "]\n",
		"a batch, notification": "[" + id("1") + `,{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}},` + id("2") + "]\n",
		"a large message":       strings.Replace(id("1"), `"ping"`, `"ping","params":{"x":"`+strings.Repeat("x", maxLine/2)+`"}`, 1) + "\n" + id("2"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range says(t, t.Context(), &fake{}, greeting+in, stays) {
				if a.Result == nil {
					t.Errorf("%s: %+v", a.ID, a.Error)
				}
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{oneCall, "[" + strings.TrimSpace(oneCall) + "]", "{}", "[]", "\n\n", "\x00", `{"jsonrpc":"2.0","id":1}`, `[{"jsonrpc":"2.0","method":"x"},1]`} {
		f.Add([]byte(seed))
	}
	server := New(&fake{}, Options{})
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		end := strings.NewReader("\n" + `{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n")
		err := runLines(t.Context(), server, &lines{ctx: t.Context(), in: io.MultiReader(strings.NewReader(greeting), bytes.NewReader(in), end), out: &out, gone: stays})
		if err != nil && !strings.Contains(err.Error(), "previously seen") {
			t.Fatalf("%q: %v", in, err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q: stdout has %q", in, line)
			}
		}
	})
}

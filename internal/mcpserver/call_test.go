package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
)

func TestCallsReachTheDeck(t *testing.T) {
	var got []any
	ops := &fake{
		list: func(_ context.Context, r deck.ListRequest, _ deck.Progress) (*deck.RecordingList, error) {
			got = append(got, r)
			return &deck.RecordingList{}, nil
		},
		info: func(file string) (*deck.RecordingInfo, error) {
			got = append(got, file)
			return &deck.RecordingInfo{}, nil
		},
		schema: func(file, topic string) (*deck.RecordingSchema, error) {
			got = append(got, [2]string{file, topic})
			return &deck.RecordingSchema{}, nil
		},
		load: func(_ context.Context, r deck.LoadRequest, _ deck.Progress) (*deck.LoadResult, error) {
			got = append(got, r)
			return &deck.LoadResult{}, nil
		},
		query: func(_ context.Context, r deck.QueryRequest) (*deck.QueryResult, error) {
			got = append(got, r)
			return &deck.QueryResult{}, nil
		},
	}
	session := connect(t, ops, Options{MaxAnswerBytes: 5000}, nil)
	for _, c := range [][2]string{
		{"list_recordings", `{"path":"/p","after":"2024-01-01","before":1704067200000000,"limit":5,"offset":10}`},
		{"get_recording_info", `{"file":"a.mcap"}`},
		{"get_schema", `{"file":"a.mcap","topic":"/imu"}`},
		{"load_recording", `{"file":"a.mcap","alias":"r1","topics":["/imu"],"start_time":1,"end_time":"2","downsample":"3","message_columns":true,"blobs":"load"}`},
		{"query", `{"sql":"SELECT 1","limit":7,"max_bytes":100,"timeout_s":2.5}`},
		{"query", `{"sql":"SELECT 1"}`},
	} {
		if result := callTool(t, session, c[0], c[1]); result.IsError {
			t.Fatal(blocks(t, result))
		}
	}
	want := []any{
		deck.ListRequest{Path: "/p", After: "2024-01-01", Before: "1704067200000000", Limit: 5, Offset: 10},
		"a.mcap",
		[2]string{"a.mcap", "/imu"},
		deck.LoadRequest{File: "a.mcap", Alias: "r1", Topics: []string{"/imu"}, StartTime: "1", EndTime: "2", Downsample: 3, MessageColumns: true, Blobs: "load"},
		deck.QueryRequest{SQL: "SELECT 1", Limit: 7, MaxBytes: 100, TimeoutS: 2.5},
		deck.QueryRequest{SQL: "SELECT 1", MaxBytes: 4500}, // rows, beside which the rest of the answer needs room
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFailuresAreResults(t *testing.T) {
	known := &deck.Error{
		Code: deck.CodeMissingTable, Message: "there is no table battery", Hint: "load the recording <first>",
		LoadedTables: []string{"imu"}, FoundIn: []string{"run17.mcap"},
	}
	for _, tc := range []struct {
		name string
		err  error
		want *deck.Error
	}{
		{"the deck's own", known, known},
		{"wrapped", fmt.Errorf("querying: %w", known), known},
		{"cancelled", fmt.Errorf("querying: %w", context.Canceled), &deck.Error{Code: deck.CodeCancelled, Message: "the call was cancelled"}},
		{"anything else", errors.New("disk on fire"), &deck.Error{Code: deck.CodeInternal, Message: "disk on fire"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ops := &fake{query: func(context.Context, deck.QueryRequest) (*deck.QueryResult, error) { return nil, tc.err }}
			result := callTool(t, connect(t, ops, Options{}, nil), "query", `{"sql":"SELECT 1"}`)
			got := wantError(t, result, tc.want.Code)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(blocks(t, result)[0], `\u003c`) {
				t.Error("the text is escaped as for HTML")
			}
		})
	}
}

// loaded_tables is promised with every missing table.
func TestMissingTableSaysThatNothingIsLoaded(t *testing.T) {
	ops := &fake{query: func(context.Context, deck.QueryRequest) (*deck.QueryResult, error) {
		return nil, &deck.Error{Code: deck.CodeMissingTable, Message: "table imu is not loaded", Hint: "load it first", LoadedTables: []string{}}
	}}
	text := blocks(t, callTool(t, connect(t, ops, Options{}, nil), "query", `{"sql":"FROM imu"}`))[0]
	if want := `{"code":"missing_table","error":"table imu is not loaded","hint":"load it first","loaded_tables":[]}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestArgumentMistakesAreReadable(t *testing.T) {
	session := connect(t, &fake{}, Options{MaxRows: 50}, nil)
	for args, says := range map[string]string{
		`{"sqll":"SELECT 1"}`:              `there is no parameter "sqll"`,
		`{"sql":"SELECT 1","limit":51}`:    "limit is 51; it takes 1 to 50",
		`{"sql":"SELECT 1","limit":-1}`:    "limit is -1; it takes 1 to 50",
		`{"sql":["SELECT 1"]}`:             `sql is ["SELECT 1"]; it takes a string`,
		`{"sql":"SELECT 1","max_bytes":0}`: "max_bytes is 0; it takes 1 to 80000",
		`{}`:                               "sql is missing",
	} {
		if e := wantError(t, callTool(t, session, "query", args), deck.CodeBadArgument); e.Message != says {
			t.Errorf("%s: %q, want %q", args, e.Message, says)
		}
	}
}

func TestPanicsStayInTheirCall(t *testing.T) {
	var log journal
	ops := &fake{info: func(string) (*deck.RecordingInfo, error) { panic("index out of range") }}
	session := connect(t, ops, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	e := wantError(t, callTool(t, session, "get_recording_info", `{"file":"a"}`), deck.CodeInternal)
	if strings.Contains(e.Message, "index out of range") {
		t.Errorf("%q tells the client of the server's insides", e.Message)
	}
	if !strings.Contains(log.String(), "index out of range") {
		t.Errorf("the log says nothing of the fault: %s", log.String())
	}
	if result := callTool(t, session, "get_version", ""); result.IsError {
		t.Error("the server did not survive")
	}
}

func TestArgumentsAndAnswersAreNotLogged(t *testing.T) {
	var log journal
	session := connect(t, &fake{}, Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, nil)
	callTool(t, session, "query", `{"sql":"SELECT 'secret-word'"}`)
	callTool(t, session, "get_recording_info", `{"file":"run17.mcap"}`)
	session.Close()
	if strings.Contains(log.String(), "secret-word") || strings.Contains(log.String(), "operator") {
		t.Errorf("the log holds contents:\n%s", log.String())
	}
	if !strings.Contains(log.String(), "tool=query outcome=missing_table") {
		t.Errorf("the log lacks the call:\n%s", log.String())
	}
}

// progressOf calls a tool with a progress token and returns the first n
// notifications and those that came with them.
func progressOf(t *testing.T, ops deck.Operations, tool, args string, n int) []mcp.ProgressNotificationParams {
	t.Helper()
	notified := make(chan mcp.ProgressNotificationParams, 100)
	session := connect(t, ops, Options{}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			notified <- *r.Params
		},
	})
	params := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
	params.SetProgressToken("token")
	if result, err := session.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatal(err, result)
	}
	// The client may hand on a notification after the result that it preceded.
	var seen []mcp.ProgressNotificationParams
	for len(seen) < n || len(notified) > 0 {
		select {
		case p := <-notified:
			seen = append(seen, p)
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: notified %+v, want %d", tool, seen, n)
		}
	}
	return seen
}

func TestProgressReachesTheClient(t *testing.T) {
	step := func(p deck.Progress) {
		p(1, 4, "chunks")
		p(2, 4, "chunks") // too soon after the first to be sent
		time.Sleep(2 * progressEvery)
		p(1, 4, "chunks") // back: not sent
		p(3, 4, "chunks")
		p(4, 4, "chunks") // the end is always told
	}
	ops := &fake{
		load: func(_ context.Context, _ deck.LoadRequest, p deck.Progress) (*deck.LoadResult, error) {
			step(p)
			return &deck.LoadResult{}, nil
		},
		list: func(_ context.Context, _ deck.ListRequest, p deck.Progress) (*deck.RecordingList, error) {
			step(p)
			return &deck.RecordingList{}, nil
		},
	}
	for tool, args := range map[string]string{"load_recording": `{"file":"a"}`, "list_recordings": `{}`} {
		var got []float64
		for _, p := range progressOf(t, ops, tool, args, 3) {
			got = append(got, p.Progress)
			if p.Total != 4 || p.Message != "chunks" || p.ProgressToken != "token" {
				t.Errorf("%s: notified %+v", tool, p)
			}
		}
		if diff := cmp.Diff([]float64{1, 3, 4}, got); diff != "" {
			t.Errorf("%s: progress (-want +got):\n%s", tool, diff)
		}
	}
}

func TestLongQueriesShowThatTheyLive(t *testing.T) {
	ops := &fake{query: func(context.Context, deck.QueryRequest) (*deck.QueryResult, error) {
		time.Sleep(heartbeatEvery + heartbeatEvery/2)
		return &deck.QueryResult{}, nil
	}}
	seen := progressOf(t, ops, "query", `{"sql":"SELECT 1"}`, 1)
	if len(seen) != 1 || seen[0].Progress != 1 {
		t.Errorf("notified %+v, want one second", seen)
	}
}

func TestNoProgressUnlessAskedFor(t *testing.T) {
	asked := true
	ops := &fake{load: func(_ context.Context, _ deck.LoadRequest, p deck.Progress) (*deck.LoadResult, error) {
		asked = p != nil
		return &deck.LoadResult{}, nil
	}}
	callTool(t, connect(t, ops, Options{}, nil), "load_recording", `{"file":"a"}`)
	if asked {
		t.Error("a call without a token has a progress function")
	}
}

// waiting is a deck whose queries last until they are cancelled.
func waiting() (ops *fake, started, ended chan struct{}) {
	started, ended = make(chan struct{}), make(chan struct{})
	return &fake{query: func(ctx context.Context, _ deck.QueryRequest) (*deck.QueryResult, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}, started, ended
}

func TestClientsCancelCalls(t *testing.T) {
	ops, started, ended := waiting()
	session := connect(t, ops, Options{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "query", Arguments: json.RawMessage(`{"sql":"SELECT 1"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
	<-ended
}

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// fake answers as a deck with one small recording would. Tests replace what
// they are about.
type fake struct {
	list   func(context.Context, deck.ListRequest, deck.Progress) (*deck.RecordingList, error)
	info   func(file string) (*deck.RecordingInfo, error)
	schema func(file, topic string) (*deck.RecordingSchema, error)
	load   func(context.Context, deck.LoadRequest, deck.Progress) (*deck.LoadResult, error)
	query  func(context.Context, deck.QueryRequest) (*deck.QueryResult, error)
}

func (f *fake) ListRecordings(ctx context.Context, r deck.ListRequest, p deck.Progress) (*deck.RecordingList, error) {
	if f.list != nil {
		return f.list(ctx, r, p)
	}
	return &deck.RecordingList{
		Recordings: []deck.RecordingSummary{{
			File: "run17.mcap", Path: "/data/run17.mcap", SizeMB: 1.5,
			StartTime: "2024-01-01T00:00:00.000+00:00", EndTime: "2024-01-01T00:01:00.000+00:00", DurationS: 60,
			MessageCount: 6000,
			Channels:     []deck.ChannelSummary{{Topic: "/imu", MessageCount: 6000, Schema: "sensor_msgs/msg/Imu"}},
			MetadataKeys: []string{"run"},
		}},
		Total:    1,
		Problems: []deck.Problem{{Path: "/data/notes.mcap", Reason: "not a recording: it seems to be text"}},
	}, nil
}

func (f *fake) RecordingInfo(_ context.Context, file string) (*deck.RecordingInfo, error) {
	if f.info != nil {
		return f.info(file)
	}
	if file != "run17.mcap" {
		return nil, &deck.Error{
			Code: deck.CodeFileNotFound, Message: `no recording is called "` + file + `"`,
			Hint: "list_recordings shows all", Nearest: []string{"run17.mcap"},
		}
	}
	return &deck.RecordingInfo{
		File: "run17.mcap", Path: "/data/run17.mcap", SizeMB: 1.5, Library: "sample",
		StartTime: "2024-01-01T00:00:00.000+00:00", EndTime: "2024-01-01T00:01:00.000+00:00", DurationS: 60,
		MessageCount: 6000,
		Channels: map[string]deck.ChannelInfo{"/imu": {
			SchemaName: "sensor_msgs/msg/Imu", MessageEncoding: "cdr", MessageCount: 6000,
			SchemaEncoding: "ros2msg", Channels: 1, Decoder: "Ros2Decoder", MeanBytes: 320,
		}},
		Metadata:    map[string]map[string]string{"run": {"operator": "a & b <c>"}},
		Compression: []string{"zstd"},
	}, nil
}

func (f *fake) Schema(_ context.Context, file, topic string) (*deck.RecordingSchema, error) {
	if f.schema != nil {
		return f.schema(file, topic)
	}
	return &deck.RecordingSchema{
		File: file,
		Topics: map[string]deck.TopicSchema{"/imu": {
			TableName: "imu", MessageCount: 6000, SchemaName: "sensor_msgs/msg/Imu", MessageEncoding: "cdr",
			Fields: []deck.Field{
				{Name: "timestamp_us", Type: "BIGINT", Description: "log time in microseconds"},
				{Name: "linear_acceleration_x", Type: "DOUBLE"},
			},
		}},
		MetadataTable: "_metadata",
		SQLHint:       "join on timestamp_us",
	}, nil
}

func (f *fake) Load(ctx context.Context, r deck.LoadRequest, p deck.Progress) (*deck.LoadResult, error) {
	if f.load != nil {
		return f.load(ctx, r, p)
	}
	prefix := ""
	if r.Alias != "" {
		prefix = r.Alias + "_"
	}
	return &deck.LoadResult{
		Status: "loaded", File: r.File, Alias: r.Alias,
		Tables:    map[string]deck.LoadedTable{prefix + "imu": {Rows: 6000, Columns: 2, Topic: "/imu"}},
		TotalRows: 6000, MemoryMB: 1, MemoryUsedMB: 1, MemoryBudgetMB: 2048, LoadTimeS: 0.01,
	}, nil
}

func (f *fake) Query(ctx context.Context, r deck.QueryRequest) (*deck.QueryResult, error) {
	if f.query != nil {
		return f.query(ctx, r)
	}
	if r.SQL != "SELECT count(*) AS n FROM imu" {
		return nil, &deck.Error{
			Code: deck.CodeMissingTable, Message: "there is no table battery",
			Hint: "load the recording that has it", LoadedTables: []string{"imu"}, FoundIn: []string{"run17.mcap"},
		}
	}
	return &deck.QueryResult{
		Columns: []string{"n"}, Types: []string{"BIGINT"}, Rows: []json.RawMessage{json.RawMessage(`[6000]`)},
		RowCount: 1, ExecutionTimeMS: 1.5,
	}, nil
}

func (f *fake) Version() deck.Version {
	return deck.Version{Version: "1.2.3", Decoders: []string{"JsonDecoder"}, Upgrade: "go install tapedeck@latest"}
}

// journal is a log that a server writes while the test reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// connect makes a client of a server on ops.
func connect(t *testing.T, ops deck.Operations, opt Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := New(ops, opt).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, client).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		server.Wait()
	})
	return session
}

// callTool calls a tool with arguments as JSON, or none, and fails on protocol errors.
func callTool(t *testing.T, session *mcp.ClientSession, name, args string) *mcp.CallToolResult {
	t.Helper()
	params := &mcp.CallToolParams{Name: name}
	if args != "" {
		params.Arguments = json.RawMessage(args)
	}
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return result
}

// blocks are the text blocks of a result.
func blocks(t *testing.T, result *mcp.CallToolResult) []string {
	t.Helper()
	var all []string
	for _, content := range result.Content {
		block, ok := content.(*mcp.TextContent)
		if !ok {
			t.Fatalf("content is a %T, want text", content)
		}
		all = append(all, block.Text)
	}
	return all
}

// wantError is the error that a result carries, checked for its form. The
// TypeScript SDK throws when a result with isError has structuredContent that
// breaks the outputSchema, so there must be none.
func wantError(t *testing.T, result *mcp.CallToolResult, code string) *deck.Error {
	t.Helper()
	if !result.IsError {
		t.Fatalf("no error, want %s; got %v", code, blocks(t, result))
	}
	if result.StructuredContent != nil {
		t.Errorf("an error has structuredContent %v, which clients hold against the outputSchema", result.StructuredContent)
	}
	var e deck.Error
	if err := json.Unmarshal([]byte(blocks(t, result)[0]), &e); err != nil {
		t.Fatalf("the error's text is no JSON: %v", err)
	}
	if e.Code != code {
		t.Errorf("code = %q, want %q (%s)", e.Code, code, e.Message)
	}
	return &e
}

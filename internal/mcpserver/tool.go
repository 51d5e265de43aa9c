package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/archive"
	"tapedeck/internal/deck"
	"tapedeck/internal/search"
)

// tools are the tools of the robot road, in the order in which they are used.
var tools = []func(Options) tool{
	listRecordings,
	getRecordingInfo,
	getSchema,
	loadRecording,
	query,
	getVersion,
}

// sessionTools are those of the agent road.
var sessionTools = []func(Options) tool{
	listSessions,
	getSession,
	getSpan,
}

// A tool is one operation as MCP shows it.
type tool struct {
	name        string
	title       string
	description string
	loads       bool // makes tables; all other tools only read
	params      []param
	output      *jsonschema.Schema
	run         func(context.Context, *call) (*answer, error)
}

// A call is one use of a tool.
type call struct {
	ops      deck.Operations
	archive  archive.Operations // nil for tools of the robot road where there is none
	search   search.Operations  // nil for all others where there is none
	args     arguments
	progress deck.Progress // nil unless the client asked for it
	maxBytes int           // of the answer's text
}

// An answer is what a tool found.
type answer struct {
	data any    // the structured form
	text any    // what the text holds, where it is not data itself
	note string // what was left out and how to get it
}

// announce is the tool as tools/list shows it.
func (t tool) announce() *mcp.Tool {
	closedWorld, destructive := false, false
	annotations := &mcp.ToolAnnotations{
		ReadOnlyHint:   !t.loads,
		IdempotentHint: true,
		OpenWorldHint:  &closedWorld,
	}
	if t.loads {
		annotations.DestructiveHint = &destructive
	}
	return &mcp.Tool{
		Name:         t.name,
		Title:        t.title,
		Description:  t.description,
		InputSchema:  inputSchema(t.params),
		OutputSchema: t.output,
		Annotations:  annotations,
	}
}

// handler answers calls of the tool. Failures become results: a protocol error
// would not reach the model behind the client.
func (t tool) handler(ops deck.Operations, opt Options) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := time.Now()
		found, err := t.answer(ctx, req, ops, opt)
		var result *mcp.CallToolResult
		if err == nil {
			result, err = success(found)
		}
		code := "ok"
		if err != nil {
			failed := explain(err)
			result, code = failure(failed, opt.MaxAnswerBytes), failed.Code
		}
		opt.Log.LogAttrs(ctx, level(code), "tool call",
			slog.String("tool", t.name), slog.String("outcome", code),
			slog.Duration("took", time.Since(began)))
		return result, nil
	}
}

// answer reads the arguments and runs the tool.
func (t tool) answer(ctx context.Context, req *mcp.CallToolRequest, ops deck.Operations, opt Options) (found *answer, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			opt.Log.Error("tool panicked", "tool", t.name, "fault", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s failed by a fault of the server; its log says where", t.name)
		}
	}()
	args, err := readArguments(t.name, t.params, req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	report := newReporter(ctx, req)
	defer report.close()
	return t.run(ctx, &call{ops: ops, archive: opt.Archive, search: opt.Search, args: args, progress: report.progress(), maxBytes: opt.MaxAnswerBytes})
}

// level keeps ordinary calls and callers' mistakes out of the log.
func level(code string) slog.Level {
	if code == deck.CodeInternal {
		return slog.LevelError
	}
	return slog.LevelDebug
}

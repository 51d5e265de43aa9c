package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
)

// announced is what tools/list shows.
func announced(t *testing.T) []*mcp.Tool {
	t.Helper()
	result, err := connect(t, &fake{}, Options{Archive: &fakeArchive{}, Search: &fakeSearch{}}, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Tools
}

// The names and parameters of the document that this server implements. They
// may grow by optional ones, never lose or rename any.
var promised = map[string]map[string]string{
	"list_recordings":    {"path": "string", "after": "string", "before": "string"},
	"get_recording_info": {"file": "string!"},
	"get_schema":         {"file": "string!", "topic": "string"},
	"load_recording": {"file": "string!", "alias": "string", "topics": "array", "start_time": "string",
		"end_time": "string", "downsample": "integer"},
	"query":       {"sql": "string!", "limit": "integer"},
	"get_version": {},

	"search": {"query": "string!", "top_k": "integer", "mode": "string", "scope": "string", "session_id": "string", "project": "string",
		"harness": "string", "model": "string", "after": "string", "before": "string", "min_score": "number"},

	"list_sessions": {"since": "string", "until": "string", "project": "string", "harness": "string", "model": "string",
		"status": "string", "title": "string", "subagents": "boolean", "internal": "boolean", "sort": "string",
		"ascending": "boolean", "limit": "integer", "cursor": "string"},
	"get_session": {"session_id": "string", "trace_id": "string", "content": "string", "limit": "integer", "cursor": "string"},
	"get_span":    {"trace_id": "string!", "span_id": "string!", "part": "string", "offset": "integer", "max_bytes": "integer"},
}

func TestToolsKeepTheirPromise(t *testing.T) {
	tools := announced(t)
	if len(tools) != len(promised) {
		t.Errorf("%d tools, want %d", len(tools), len(promised))
	}
	for _, tool := range tools {
		params, ok := promised[tool.Name]
		if !ok {
			t.Errorf("%s is not promised", tool.Name)
		}
		schema := schemaOf(t, tool.InputSchema)
		for name, want := range params {
			p := schema.Properties[name]
			if p == nil {
				t.Errorf("%s: %s is missing", tool.Name, name)
				continue
			}
			got := p.Type
			if slices.Contains(schema.Required, name) {
				got += "!"
			}
			if got != want {
				t.Errorf("%s: %s is %s, want %s", tool.Name, name, got, want)
			}
		}
		for _, name := range schema.Required {
			if _, ok := params[name]; !ok {
				t.Errorf("%s: %s is required, but not promised", tool.Name, name)
			}
		}
	}
}

func TestToolsMatchTheirGoldenFiles(t *testing.T) {
	for _, define := range slices.Concat(tools, searchTools, sessionTools) {
		tool := define(Options{}.complete()).announce()
		t.Run(tool.Name, func(t *testing.T) {
			got, err := compact(tool)
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join("testdata", "tools", tool.Name+".json"), indented(t, got))
		})
	}
}

// What every tool must have, so that clients can show and models can use it.
func TestToolsAreFitForUse(t *testing.T) {
	tools := announced(t)
	for _, tool := range tools {
		a := tool.Annotations
		if a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint || !a.IdempotentHint {
			t.Errorf("%s: annotations %+v, want a closed world and idempotence", tool.Name, a)
			continue
		}
		if loads := tool.Name == "load_recording"; a.ReadOnlyHint == loads {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, a.ReadOnlyHint)
		} else if loads && (a.DestructiveHint == nil || *a.DestructiveHint) {
			t.Errorf("%s: not said to be harmless", tool.Name)
		}
		if tool.Title == "" || tool.Description == "" || len(tool.Description) > 500 {
			t.Errorf("%s: title %q, description of %d bytes, want 1 to 500", tool.Name, tool.Title, len(tool.Description))
		}
		schema := schemaOf(t, tool.InputSchema)
		for name, p := range schema.Properties {
			if n := len(p.Description); n == 0 || n > 120 {
				t.Errorf("%s: %s is described in %d bytes, want 1 to 120", tool.Name, name, n)
			}
			flat := p.Properties == nil && p.AnyOf == nil && p.OneOf == nil && p.Types == nil
			if p.Items != nil {
				flat = flat && p.Items.Type == "string"
			}
			if !flat {
				t.Errorf("%s: %s is not flat", tool.Name, name)
			}
		}
	}
	text, err := compact(mcp.ListToolsResult{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	if most := 22_500; len(text) > most {
		t.Errorf("tools/list takes %d bytes of every agent's context, want at most %d", len(text), most)
	}
	said := instructions(Options{Archive: &fakeArchive{}, Search: &fakeSearch{}}.complete())
	if most := 1_000; len(said) > most {
		t.Errorf("the instructions take %d bytes, want at most %d", len(said), most)
	}
	t.Logf("tools/list: %d bytes; instructions: %d bytes", len(text), len(said))
}

// emptyDeck returns results in which every slice and map is nil.
type emptyDeck struct{ fake }

func (emptyDeck) Version() deck.Version { return deck.Version{} }

func TestResultsKeepToTheirSchemas(t *testing.T) {
	empty := &emptyDeck{fake{
		list: func(context.Context, deck.ListRequest, deck.Progress) (*deck.RecordingList, error) {
			return &deck.RecordingList{Recordings: []deck.RecordingSummary{{}}}, nil
		},
		info: func(string) (*deck.RecordingInfo, error) { return &deck.RecordingInfo{}, nil },
		schema: func(string, string) (*deck.RecordingSchema, error) {
			return &deck.RecordingSchema{Topics: map[string]deck.TopicSchema{"/a": {}}}, nil
		},
		load: func(context.Context, deck.LoadRequest, deck.Progress) (*deck.LoadResult, error) {
			return &deck.LoadResult{}, nil
		},
		query: func(context.Context, deck.QueryRequest) (*deck.QueryResult, error) { return &deck.QueryResult{}, nil },
	}}
	for what, ops := range map[string]deck.Operations{"filled": &fake{}, "empty": empty} {
		session := connect(t, ops, Options{Archive: &fakeArchive{output: "text"}, Search: &fakeSearch{}}, nil)
		for _, tool := range announced(t) {
			t.Run(what+"/"+tool.Name, func(t *testing.T) {
				args := map[string]string{
					"get_recording_info": `{"file":"run17.mcap"}`, "get_schema": `{"file":"run17.mcap"}`,
					"load_recording": `{"file":"run17.mcap"}`, "query": `{"sql":"SELECT count(*) AS n FROM imu"}`,
					"get_session": `{"session_id":"7a0c52"}`, "get_span": `{"trace_id":"t","span_id":"s"}`,
					"search": `{"query":"logging"}`,
				}[tool.Name]
				result := callTool(t, session, tool.Name, args)
				if result.IsError {
					t.Fatal(blocks(t, result))
				}
				resolved, err := schemaOf(t, tool.OutputSchema).Resolve(nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := resolved.Validate(result.StructuredContent); err != nil {
					t.Errorf("structuredContent breaks the outputSchema: %v", err)
				}
				sameTwice(t, result)
			})
		}
	}
}

// sameTwice checks that text and structured form say the same, in compact JSON.
func sameTwice(t *testing.T, result *mcp.CallToolResult) {
	t.Helper()
	text := []byte(blocks(t, result)[0])
	var tight bytes.Buffer
	if err := json.Compact(&tight, text); err != nil || tight.Len() != len(text) {
		t.Errorf("text is not compact JSON (%v): %.100s", err, text)
	}
	var said any
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	structured := result.StructuredContent
	if _, bare := said.([]any); bare {
		structured = structured.(map[string]any)["recordings"]
	}
	if diff := cmp.Diff(structured, said); diff != "" {
		t.Errorf("text and structuredContent differ (-structured +text):\n%s", diff)
	}
}

func TestListTextIsTheBareArray(t *testing.T) {
	result := callTool(t, connect(t, &fake{}, Options{}, nil), "list_recordings", `{}`)
	said := blocks(t, result)
	if said[0][0] != '[' {
		t.Errorf("text begins %.20s, want an array", said[0])
	}
	if len(said) != 2 || said[1] != result.StructuredContent.(map[string]any)["note"] {
		t.Errorf("blocks %q, want the note of the structured form as the second", said)
	}
}

func schemaOf(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func indented(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}

// compareGolden compares with a file, or writes it with -update.
func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test -update to write it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s changed (-file +now); if it should, run go test -update:\n%s", path, diff)
	}
}

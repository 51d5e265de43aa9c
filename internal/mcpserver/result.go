package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/archive"
	"tapedeck/internal/deck"
	"tapedeck/internal/search"
)

// success is the result that carries an answer.
func success(a *answer) (*mcp.CallToolResult, error) {
	structured, err := compact(a.data)
	if err != nil {
		return nil, err
	}
	text := structured
	if a.text != nil {
		if text, err = compact(a.text); err != nil {
			return nil, err
		}
	}
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
		StructuredContent: json.RawMessage(structured),
	}
	if a.note != "" {
		result.Content = append(result.Content, &mcp.TextContent{Text: a.note})
	}
	return result, nil
}

// failure is the result that carries an error. It has no structuredContent:
// clients check that against the outputSchema even when isError is set, as the
// TypeScript SDK does, and an error has another shape.
func failure(e *deck.Error, room int) *mcp.CallToolResult {
	text, err := compact(fitError(e, room))
	if err != nil {
		text = e.JSON()
	}
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}},
	}
}

// fitError shrinks an error that does not fit into room, such as one that lists
// thousands of tables or repeats a long statement.
func fitError(e *deck.Error, room int) *deck.Error {
	if size(e) <= room {
		return e
	}
	shown := *e
	shown.Message, shown.Hint = cutText(e.Message, room/20), cutText(e.Hint, room/20) // escapes may make six of one
	shown.Nearest = keepThatFit(e.Nearest, room/10)
	shown.Candidates = keepThatFit(e.Candidates, room/10)
	shown.LoadedTables = keepThatFit(e.LoadedTables, room/10)
	shown.FoundIn = keepThatFit(e.FoundIn, room/10)
	var cut tally
	cut.count("candidates", len(shown.Candidates), len(e.Candidates))
	cut.count("found_in", len(shown.FoundIn), len(e.FoundIn))
	if cut.count("loaded_tables", len(shown.LoadedTables), len(e.LoadedTables)) {
		cut = append(cut, "query "+allTables+" for all of them")
	}
	if len(cut) > 0 {
		shown.Hint = strings.TrimPrefix(shown.Hint+"; "+cut.String(), "; ")
	}
	return &shown
}

// explain gives any error the form that callers know.
func explain(err error) *deck.Error {
	var known *deck.Error
	var ofArchive *archive.Error
	var ofSearch *search.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &ofArchive):
		return explainRoad(*ofArchive)
	case errors.As(err, &ofSearch):
		return explainRoad(archive.Error(*ofSearch))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &deck.Error{Code: deck.CodeCancelled, Message: "the call was cancelled", Err: err}
	default:
		return &deck.Error{Code: deck.CodeInternal, Message: err.Error(), Err: err}
	}
}

// explainRoad is an error of the agent road in the form of the robot road's,
// which has no list of allowed values: they stand in the hint.
func explainRoad(e archive.Error) *deck.Error {
	hint := e.Hint
	if len(e.Allowed) > 0 && !strings.Contains(e.Message, strings.Join(e.Allowed, ", ")) {
		hint = strings.TrimPrefix(hint+"; it takes "+strings.Join(e.Allowed, ", "), "; ")
	}
	return &deck.Error{Code: e.Code, Message: e.Message, Hint: hint, Nearest: e.Nearest, Candidates: e.Candidates, Err: &e}
}

// compact is v as JSON without white space, and without the escapes for HTML
// that would cost an agent five characters for each "<" of a hint.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// list and table stand for a nil slice or map, which JSON would write as null
// where the outputSchema promises an array or an object.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func table[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

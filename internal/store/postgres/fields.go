package postgres

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"tapedeck/internal/session"
)

// Columns and the fields that they hold, in one order: the fields are what rows
// are scanned into and what they are written from.

const (
	usageColumns = `input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, partial, unpriced`

	countColumns = `records, traces, prompts, messages, tool_calls, tool_results, tool_errors, unanswered_calls, subagents,
		compactions, replayed_records`

	sessionColumns = `id, harness, harness_session_id, harness_version, title, cwd, project, git_branch, agent_type, internal,
		started_at, ended_at, status, partial_reason, ` + usageColumns + `, ` + countColumns

	parentColumns = `parent_id, parent_relation, parent_trace_id, parent_span_id`

	traceColumns = `id, session_id, seq, user_prompt, response, origin, status, started_at, ended_at, cwd, git_branch, models,
		span_count, ` + usageColumns + `, ` + countColumns

	spanColumns = `span_id, parent_span_id, seq, kind, name, status, error, model, provider, stop_reason, call_id, message_id,
		started_at, ended_at, ` + usageColumns + `, attributes, records`

	linkColumns = `kind, from_session_id, from_trace_id, from_span_id, to_session_id, to_trace_id, to_span_id`
)

func usageFields(u *session.Usage) []any {
	return []any{&u.InputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.OutputTokens, &u.ReasoningTokens, &u.Cost,
		&u.Partial, &u.Unpriced}
}

func countFields(c *session.Counts) []any {
	return []any{&c.Records, &c.Traces, &c.Prompts, &c.Messages, &c.ToolCalls, &c.ToolResults, &c.ToolErrors, &c.Unanswered,
		&c.Subagents, &c.Compactions, &c.Replayed}
}

func sessionFields(s *session.Session) []any {
	fields := []any{&s.ID, clean(&s.Harness), clean(&s.HarnessSessionID), clean(&s.HarnessVersion), clean(&s.Title), clean(&s.Cwd),
		clean(&s.Project), clean(&s.GitBranch), clean(&s.AgentType), &s.Internal, &s.StartedAt, &s.EndedAt, &s.Status,
		clean(&s.PartialReason)}
	return append(append(fields, usageFields(&s.Usage)...), countFields(&s.Counts)...)
}

func traceFields(t *session.Trace) []any {
	fields := []any{&t.ID, &t.SessionID, &t.Seq, clean(&t.UserPrompt), clean(&t.Response), &t.Origin, &t.Status, &t.StartedAt,
		&t.EndedAt, clean(&t.Cwd), clean(&t.GitBranch), jsonList(&t.Models), &t.SpanCount}
	return append(append(fields, usageFields(&t.Usage)...), countFields(&t.Counts)...)
}

func spanFields(s *session.Span) []any {
	fields := []any{&s.ID, &s.ParentID, &s.Seq, &s.Kind, clean(&s.Name), &s.Status, clean(&s.Error), clean(&s.Model),
		clean(&s.Provider), clean(&s.StopReason), clean(&s.CallID), clean(&s.MessageID), &s.StartedAt, &s.EndedAt}
	return append(append(fields, usageFields(&s.Usage)...), jsonMap(&s.Attributes), jsonList(&s.Records))
}

func linkFields(l *session.Link) []any {
	return []any{&l.Kind, &l.FromSessionID, &l.FromTraceID, &l.FromSpanID, &l.ToSessionID, &l.ToTraceID, &l.ToSpanID}
}

// cleanText is text that PostgreSQL takes: see [session.Clean].
type cleanText string

func clean(text *string) *cleanText { return (*cleanText)(text) }

// TextValue implements pgtype.TextValuer.
func (c *cleanText) TextValue() (pgtype.Text, error) {
	return pgtype.Text{String: session.Clean(string(*c)), Valid: true}, nil
}

// ScanText implements pgtype.TextScanner.
func (c *cleanText) ScanText(text pgtype.Text) error {
	*c = cleanText(text.String)
	return nil
}

// inJSON is a list or map that stands in a bytea column as JSON: jsonb refuses
// texts that JSON allows (NUL, lone surrogates). An empty one is NULL, and comes
// back as one that is not nil.
type inJSON[T any] struct {
	value *T
	empty string
}

func jsonList(list *[]string) inJSON[[]string] { return inJSON[[]string]{list, "[]"} }

func jsonMap(m *map[string]string) inJSON[map[string]string] {
	return inJSON[map[string]string]{m, "{}"}
}

// BytesValue implements pgtype.BytesValuer.
func (j inJSON[T]) BytesValue() ([]byte, error) {
	text, err := json.Marshal(j.value)
	if string(text) == j.empty || string(text) == "null" {
		return nil, err
	}
	return text, err
}

// ScanBytes implements pgtype.BytesScanner.
func (j inJSON[T]) ScanBytes(text []byte) error {
	if text == nil {
		text = []byte(j.empty)
	}
	return json.Unmarshal(text, j.value)
}

// names are the columns of a list, each with prefix before it.
func names(columns, prefix string) string {
	list := strings.Split(columns, ",")
	for i, name := range list {
		list[i] = prefix + strings.TrimSpace(name)
	}
	return strings.Join(list, ", ")
}

// split is a list of columns as COPY takes it.
func split(columns string) []string { return strings.Split(names(columns, ""), ", ") }

// placeholders are "$1, $2, …", one for each column of a list.
func placeholders(columns string) string {
	list := split(columns)
	for i := range list {
		list[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(list, ", ")
}

// found reports whether a row was there.
func found(err error) (bool, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// cleaned are identifiers as they are stored.
func cleaned(ids []string) []string {
	clean := make([]string, len(ids))
	for i, id := range ids {
		clean[i] = session.Clean(id)
	}
	return clean
}

package sqlite

import (
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// selectSession has its columns in the order of scanSession.
const selectSession = `SELECT s.sid, s.harness, r.native, r.harness_version, r.title, r.name, r.cwd, r.project, r.branch,
	r.parent, r.relation, r.parent_trace, r.parent_span, r.agent_type, s.internal, s.started, s.ended, s.status, r.partial_reason, ` + sessionSums + `
	FROM session s JOIN session_rest r ON r.session = s.id `

// sessionSums are the columns of usage and counts.
const sessionSums = `r.input_tokens, r.cache_read, r.cache_write, r.output_tokens, r.reasoning, s.cost, r.partial, r.unpriced,
	r.records, s.traces, r.prompts, r.messages, r.tool_calls, r.tool_results, r.tool_errors, r.unanswered, r.subagents, r.compactions, r.replayed`

func scanSession(r *row) session.Session {
	s := session.Session{
		ID: r.text(), Harness: r.text(), HarnessSessionID: r.text(), HarnessVersion: r.text(), Title: r.text(), DisplayName: r.text(),
		Cwd: r.text(), Project: r.text(), GitBranch: r.text(),
	}
	parent := session.Origin{SessionID: r.text(), Relation: session.Relation(r.text()), TraceID: r.text(), SpanID: r.text()}
	if parent != (session.Origin{}) {
		s.Parent = &parent
	}
	s.AgentType, s.Internal, s.StartedAt, s.EndedAt = r.text(), r.bool(), session.Time(r.int()), session.Time(r.int())
	s.Status, s.PartialReason = session.Status(r.text()), r.text()
	s.Usage, s.Counts = r.usage(), r.counts()
	s.Models = []session.ModelUsage{}
	return s
}

// usage is the next eight columns' usage.
func (r *row) usage() session.Usage {
	return session.Usage{
		InputTokens: r.int(), CacheReadTokens: r.int(), CacheWriteTokens: r.int(), OutputTokens: r.int(), ReasoningTokens: r.int(),
		Cost: session.USD(r.int()), Partial: r.bool(), Unpriced: r.bool(),
	}
}

func usageArgs(u session.Usage) []any {
	return []any{u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens, int64(u.Cost), u.Partial, u.Unpriced}
}

// counts are the next eleven columns' counts.
func (r *row) counts() session.Counts {
	return session.Counts{
		Records: r.int(), Traces: r.int(), Prompts: r.int(), Messages: r.int(), ToolCalls: r.int(), ToolResults: r.int(),
		ToolErrors: r.int(), Unanswered: r.int(), Subagents: r.int(), Compactions: r.int(), Replayed: r.int(),
	}
}

func countArgs(c session.Counts) []any {
	return []any{c.Records, c.Traces, c.Prompts, c.Messages, c.ToolCalls, c.ToolResults, c.ToolErrors, c.Unanswered, c.Subagents,
		c.Compactions, c.Replayed}
}

var (
	putSessionRow = upsert("session", "sid", []string{
		"stream", "own", "subagent", "internal", "harness", "status", "started", "ended", "duration", "cost", "tokens", "traces",
		"project_fold", "cwd_fold", "name_fold", "title_fold", "sid",
	}) + " RETURNING id"
	putSessionRest = upsert("session_rest", "session", []string{
		"session", "parent", "relation", "parent_trace", "parent_span", "native", "harness_version", "title", "name", "cwd", "project", "branch",
		"agent_type", "partial_reason", "input_tokens", "cache_read", "cache_write", "output_tokens", "reasoning", "partial", "unpriced",
		"records", "prompts", "messages", "tool_calls", "tool_results", "tool_errors", "unanswered", "subagents", "compactions", "replayed",
	})
)

// putSession writes a session's rows.
func (pr *projector) putSession(s session.Session) (int64, error) {
	name := ""
	if _, err := pr.conn.one("SELECT name FROM name WHERE sid = ?", []any{s.ID}, func(r *row) { name = r.text() }); err != nil {
		return 0, err
	}
	parent := session.Origin{}
	if s.Parent != nil {
		parent = *s.Parent
	}
	id, err := pr.conn.number(putSessionRow,
		pr.stream, s.ID == pr.ref.SessionID(), parent.Relation == session.Subagent, s.Internal, s.Harness, string(s.Status),
		int64(s.StartedAt), int64(s.EndedAt), store.Duration(s), int64(s.Usage.Cost), s.Usage.Total(), s.Counts.Traces,
		store.Fold(s.Project), store.Fold(s.Cwd), store.Fold(name), store.Fold(s.Title), s.ID)
	if err != nil {
		return 0, err
	}
	u, n := s.Usage, s.Counts
	_, err = pr.conn.exec(putSessionRest,
		id, orNull(parent.SessionID), orNull(string(parent.Relation)), orNull(parent.TraceID), orNull(parent.SpanID),
		s.HarnessSessionID, s.HarnessVersion, s.Title, name, s.Cwd, s.Project, s.GitBranch, s.AgentType, s.PartialReason,
		u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens, u.Partial, u.Unpriced,
		n.Records, n.Prompts, n.Messages, n.ToolCalls, n.ToolResults, n.ToolErrors, n.Unanswered, n.Subagents, n.Compactions, n.Replayed)
	return id, err
}

// putModels writes what models took part in a session.
func (pr *projector) putModels(id int64, models []session.ModelUsage) error {
	if _, err := pr.conn.exec("DELETE FROM session_model WHERE session = ?", id); err != nil {
		return err
	}
	for _, m := range models {
		_, err := pr.conn.exec("INSERT INTO session_model VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
			append([]any{id, m.Model, store.Fold(m.Model), m.Calls}, usageArgs(m.Usage)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// models fills in the models of sessions.
func (c *conn) models(ids []any, sessions []session.Session) error {
	index := make(map[int64]int, len(ids))
	for i, id := range ids {
		index[id.(int64)] = i
	}
	seen := map[[2]any]bool{} // lookup may find a row twice
	return c.lookup(`SELECT session, model, calls, input_tokens, cache_read, cache_write, output_tokens, reasoning, cost, partial, unpriced
		FROM session_model WHERE session`, nil, ids, func(r *row) error {
		id, model := r.int(), r.text()
		if seen[[2]any{id, model}] {
			return nil
		}
		seen[[2]any{id, model}] = true
		s := &sessions[index[id]]
		s.Models = append(s.Models, session.ModelUsage{Model: model, Calls: r.int(), Usage: r.usage()})
		return nil
	})
}

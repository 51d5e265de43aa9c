package postgres

import (
	"fmt"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// chosenDocuments are the conditions of a filter, on a document d and its session s.
func chosenDocuments(f store.IndexFilter) (conditions, error) {
	var c conditions
	c.add("NOT s.internal")
	switch f.Scope {
	case "", store.ScopeMain:
		c.add("d.kind = $ AND NOT s.subagent", string(session.KindLLM))
	case store.ScopeSubagents:
		c.add("d.kind = $", string(session.KindLLM))
	case store.ScopeTools:
		c.add("d.kind = $", string(session.KindTool))
	case store.ScopeAll:
	default:
		return c, fmt.Errorf("no scope: %q; want %s, %s, %s or %s", f.Scope, store.ScopeMain, store.ScopeSubagents, store.ScopeTools, store.ScopeAll)
	}
	if f.SessionID != "" {
		c.add("s.id = $", session.Clean(f.SessionID))
	}
	if f.Project != "" {
		c.add("(s.project_folded = $ OR s.cwd_folded = $)", folded(f.Project))
	}
	if f.Harness != "" {
		c.add("s.harness = $", session.Clean(f.Harness))
	}
	if f.Model != "" {
		c.add("d.model_folded = $", folded(f.Model))
	}
	if f.After != 0 {
		c.add("d.started_at >= $ AND d.started_at <> 0", int64(f.After))
	}
	if f.Before != 0 {
		c.add("d.started_at < $ AND d.started_at <> 0", int64(f.Before))
	}
	return c, nil
}

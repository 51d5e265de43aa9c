package sqlite

import (
	"fmt"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// kindOf is the kind of span that a scope has; "": of any.
func kindOf(scope store.Scope) (kind session.Kind, err error) {
	switch scope {
	case "", store.ScopeMain, store.ScopeSubagents:
		return session.KindLLM, nil
	case store.ScopeTools:
		return session.KindTool, nil
	case store.ScopeAll:
		return "", nil
	}
	return "", fmt.Errorf("no scope: %q; want %s, %s, %s or %s", scope, store.ScopeMain, store.ScopeSubagents, store.ScopeTools, store.ScopeAll)
}

// onlyMain reports whether a scope leaves out sub-agents' sessions.
func onlyMain(scope store.Scope) bool { return scope == "" || scope == store.ScopeMain }

// chosenDocuments are the conditions of a filter, on a document d and its session s.
func chosenDocuments(f store.IndexFilter) (c conditions, err error) {
	kind, err := kindOf(f.Scope)
	c.add("s.internal = 0")
	if kind != "" {
		c.add("d.kind = ?", string(kind))
	}
	if onlyMain(f.Scope) {
		c.add("s.subagent = 0")
	}
	if f.SessionID != "" {
		c.add("s.sid = ?", f.SessionID)
	}
	if f.Project != "" {
		project := store.Fold(f.Project)
		c.add("(s.project_fold = ? OR s.cwd_fold = ?)", project, project)
	}
	if f.Harness != "" {
		c.add("s.harness = ?", f.Harness)
	}
	if f.Model != "" {
		c.add("d.fold = ?", store.Fold(f.Model))
	}
	if f.After != 0 {
		c.add("d.started >= ? AND d.started <> 0", int64(f.After))
	}
	if f.Before != 0 {
		c.add("d.started < ? AND d.started <> 0", int64(f.Before))
	}
	return c, err
}

package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tapedeck/internal/nearest"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

var (
	modes  = []string{ModeHybrid, ModeSemantic, ModeLexical}
	scopes = []store.Scope{store.ScopeMain, store.ScopeSubagents, store.ScopeTools, store.ScopeAll}
)

// A question is a request that was checked.
type question struct {
	query
	topK     int
	mode     string
	filter   store.IndexFilter
	minScore float64
}

// check refuses what can't be asked.
func (s *Service) check(ctx context.Context, r Request) (question, error) {
	q := question{topK: cmp.Or(r.TopK, DefaultTopK), minScore: r.MinScore}
	text := strings.TrimSpace(session.Clean(r.Query))
	switch {
	case !strings.ContainsFunc(text, saysSomething):
		return q, &Error{Code: CodeArgument, Message: "query is blank: want words, or a question", Hint: `ask as you would ask a person; "quoted words" are found as they are`}
	case len(text) > maxQuery:
		return q, &Error{Code: CodeArgument, Message: fmt.Sprintf("query has %d bytes: want at most %d", len(text), maxQuery)}
	case q.topK < 1 || q.topK > MaxTopK:
		return q, badArgument("top_k", strconv.Itoa(r.TopK), fmt.Sprintf("a number from 1 to %d", MaxTopK))
	case math.IsNaN(r.MinScore) || r.MinScore < 0 || r.MinScore > 1:
		return q, badArgument("min_score", strconv.FormatFloat(r.MinScore, 'g', -1, 64), "a number from 0 to 1")
	}
	q.query = parseQuery(text)
	var err error
	if q.mode, err = oneOf("mode", r.Mode, modes); err != nil {
		return q, err
	}
	q.mode = cmp.Or(q.mode, ModeHybrid)
	q.filter, err = s.filter(ctx, r)
	return q, err
}

// saysSomething reports whether a character can be looked for: emoji can, punctuation
// alone can't, nor what is no character.
func saysSomething(r rune) bool {
	return isWordRune(r) || unicode.IsSymbol(r) && r != utf8.RuneError && r > unicode.MaxLatin1
}

func (s *Service) filter(ctx context.Context, r Request) (store.IndexFilter, error) {
	f := store.IndexFilter{Project: session.Folder(r.Project), Harness: r.Harness, Model: r.Model}
	var err error
	if f.Scope, err = oneOf("scope", store.Scope(r.Scope), scopes); err != nil {
		return f, err
	}
	if f.After, f.Before, err = parseWindow(r.After, r.Before); err != nil {
		return f, err
	}
	if id := strings.TrimSpace(r.SessionID); id != "" {
		found, err := s.store.Session(ctx, id)
		if err != nil {
			return f, sessionError(id, err)
		}
		f.SessionID = found.ID
		if f.Scope == "" && found.Parent != nil && found.Parent.Relation == session.Subagent {
			f.Scope = store.ScopeSubagents // it was named
		}
	}
	f.Scope = cmp.Or(f.Scope, store.ScopeMain)
	return f, nil
}

// parseWindow reads the two ends of a span of time.
func parseWindow(after, before string) (from, to session.Time, err error) {
	from, to, err = session.Window(session.End{Argument: "after", Text: after}, session.End{Argument: "before", Text: before}, time.Now())
	if err != nil {
		err = &Error{Code: CodeArgument, Message: err.Error(), Err: err}
	}
	return from, to, err
}

// oneOf is value if it is among those allowed; "" is none.
func oneOf[T ~string](argument string, value T, allowed []T) (T, error) {
	if value == "" || slices.Contains(allowed, value) {
		return value, nil
	}
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = string(name)
	}
	err := badArgument(argument, string(value), "one of "+strings.Join(names, ", "), names...)
	err.(*Error).Nearest = nearest.Nearest(string(value), names, 3)
	return "", err
}

// checkFilter tells why nothing was found: a filter may name what is not there.
func (s *Service) checkFilter(ctx context.Context, f store.IndexFilter) error {
	for _, c := range []struct {
		argument, value string
		by              store.StatsBy
		filter          store.SessionFilter
	}{
		{"project", f.Project, store.ByProject, store.SessionFilter{Project: f.Project}},
		{"harness", f.Harness, store.ByHarness, store.SessionFilter{Harness: f.Harness}},
		{"model", f.Model, store.ByModel, store.SessionFilter{Model: f.Model}},
	} {
		if c.value == "" {
			continue
		}
		c.filter.Children = true
		list, err := s.store.Sessions(ctx, c.filter, store.Page{Limit: 1})
		if err != nil {
			return storeError(err)
		}
		if list.Total > 0 {
			continue
		}
		return s.unknownValue(ctx, c.argument, c.value, c.by)
	}
	return nil
}

// maxAllowed is how many names an error lists.
const maxAllowed = 20

func (s *Service) unknownValue(ctx context.Context, argument, value string, by store.StatsBy) error {
	stats, err := s.store.Stats(ctx, store.SessionFilter{}, by)
	if err != nil {
		return storeError(err)
	}
	names := []string{}
	for _, group := range stats.Groups {
		if group.Key != "" {
			names = append(names, group.Key)
		}
	}
	e := &Error{Code: CodeArgument, Message: fmt.Sprintf("%s %q: no recorded session has it", argument, value), Nearest: nearest.Nearest(value, names, 3)}
	e.Allowed = names[:min(len(names), maxAllowed)]
	if len(names) == 0 {
		e.Hint = "nothing is recorded yet: import sessions first"
	}
	return e
}

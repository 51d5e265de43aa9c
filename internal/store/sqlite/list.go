package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// conditions are joined by AND.
type conditions struct {
	texts []string
	args  []any
}

func (c *conditions) add(text string, args ...any) {
	c.texts = append(c.texts, text)
	c.args = append(c.args, args...)
}

// where is the conditions as SQL.
func (c *conditions) where() string {
	if len(c.texts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.texts, " AND ")
}

// chosen are the conditions of a filter.
func chosen(f store.SessionFilter) (c conditions) {
	if !f.Children {
		c.add("subagent = 0")
	}
	if !f.Internal {
		c.add("internal = 0")
	}
	if f.Since != 0 {
		c.add("ended >= ? AND ended <> 0", int64(f.Since))
	}
	if f.Until != 0 {
		c.add("started < ? AND started <> 0", int64(f.Until))
	}
	if f.Harness != "" {
		c.add("harness = ?", f.Harness)
	}
	if f.Status != "" {
		c.add("status = ?", string(f.Status))
	}
	if f.Project != "" {
		project := store.Fold(f.Project)
		c.add("(project_fold = ? OR cwd_fold = ?)", project, project)
	}
	if f.Model != "" {
		c.add("id IN (SELECT session FROM session_model WHERE fold = ?)", store.Fold(f.Model))
	}
	if f.Title != "" {
		title := store.Fold(f.Title)
		c.add("(instr(title_fold, ?) OR instr(name_fold, ?))", title, title)
	}
	return c
}

// An order is what sessions are ordered by.
type order struct {
	column string
	number func(session.Session) int64 // nil: the title that is shown
}

var orders = map[store.SessionSort]order{
	store.SortActive:   {"ended", func(s session.Session) int64 { return int64(s.EndedAt) }},
	store.SortStarted:  {"started", func(s session.Session) int64 { return int64(s.StartedAt) }},
	store.SortCost:     {"cost", func(s session.Session) int64 { return int64(s.Usage.Cost) }},
	store.SortTokens:   {"tokens", func(s session.Session) int64 { return s.Usage.Total() }},
	store.SortTraces:   {"traces", func(s session.Session) int64 { return s.Counts.Traces }},
	store.SortDuration: {"duration", store.Duration},
	store.SortTitle:    {"iif(name_fold = '', title_fold, name_fold)", nil},
}

// position is where a listing ends with this session.
func (o order) position(s session.Session) store.Position {
	if o.number == nil {
		return store.Position{Texts: []string{store.Fold(cmp.Or(s.DisplayName, s.Title)), s.ID}}
	}
	return store.Position{Numbers: []int64{o.number(s)}, Texts: []string{s.ID}}
}

// after is the position that a page follows, as arguments; nil for the first.
func (o order) after(listing string, page store.Page) ([]any, error) {
	numbers, texts := 1, 1
	if o.number == nil {
		numbers, texts = 0, 2
	}
	position, err := page.After(listing, numbers, texts)
	if err != nil || position == nil {
		return nil, err
	}
	if o.number == nil {
		return []any{position.Texts[0], position.Texts[1]}, nil
	}
	return []any{position.Numbers[0], position.Texts[0]}, nil
}

// Sessions is a page of sessions.
func (s *Store) Sessions(ctx context.Context, f store.SessionFilter, page store.Page) (list store.List[session.Session], err error) {
	by, err := f.Order()
	if err != nil {
		return list, err
	}
	l := listing{name: f.Listing(), chosen: chosen(f), order: orders[by], ascending: f.Ascending, from: table(f, by)}
	err = s.read(ctx, func(c *conn) error {
		list, err = l.page(c, page)
		return err
	})
	return list, err
}

// Children are the sessions that came from one.
func (s *Store) Children(ctx context.Context, sessionID string, page store.Page) (list store.List[session.Session], err error) {
	err = s.read(ctx, func(c *conn) error {
		found, err := c.resolve(sessionID, onlySessions)
		if err != nil {
			return err
		}
		l := listing{name: "children of " + found.sid, order: orders[store.SortStarted], ascending: true, from: "session"}
		l.chosen.add("id IN (SELECT session FROM session_rest WHERE parent = ?)", found.sid)
		list, err = l.page(c, page)
		return err
	})
	return list, err
}

// A listing is what conditions choose of the sessions, in an order.
type listing struct {
	name      string // for cursors
	chosen    conditions
	order     order
	ascending bool
	from      string
}

// table is what sessions are read from: the list that most people look at has an
// index of its own; others are quicker read from end to end than by that index,
// row by row.
func table(f store.SessionFilter, by store.SessionSort) string {
	f.Since, f.Ascending, f.Sort = 0, false, ""
	if by == store.SortActive && f == (store.SessionFilter{}) {
		return "session INDEXED BY session_active"
	}
	return "session NOT INDEXED"
}

// page reads a part of the listing.
func (l listing) page(c *conn, page store.Page) (store.List[session.Session], error) {
	list := store.List[session.Session]{Items: []session.Session{}}
	after, err := l.order.after(l.name, page)
	if err != nil {
		return list, err
	}
	if list.Total, err = c.number("SELECT count(*) FROM "+l.from+l.chosen.where(), l.chosen.args...); err != nil {
		return list, err
	}
	ids, err := l.ids(c, after, page.Size()+1)
	if err != nil {
		return list, err
	}
	more := len(ids) > page.Size()
	ids = ids[:min(len(ids), page.Size())]
	if list.Items, err = c.sessions(ids); err != nil {
		return list, err
	}
	if more {
		list.Next = l.order.position(list.Items[len(list.Items)-1]).Cursor(l.name)
	}
	return list, nil
}

// ids are the rows of the next sessions, in order.
func (l listing) ids(c *conn, after []any, limit int) (ids []any, err error) {
	direction, beyond := "DESC", "<"
	if l.ascending {
		direction, beyond = "ASC", ">"
	}
	where := l.chosen
	if after != nil {
		where.add(fmt.Sprintf("(%s, sid) %s (?, ?)", l.order.column, beyond), after...)
	}
	query := fmt.Sprintf("SELECT id FROM %s%s ORDER BY %s %s, sid %s LIMIT ?", l.from, where.where(), l.order.column, direction, direction)
	err = c.each(query, append(where.args, limit), func(r *row) error {
		ids = append(ids, r.int())
		return nil
	})
	return ids, err
}

// sessions reads rows by their ids, in the order of these.
func (c *conn) sessions(ids []any) ([]session.Session, error) {
	list := make([]session.Session, len(ids))
	for i, id := range ids {
		if _, err := c.one(selectSession+"WHERE s.id = ?", []any{id}, func(r *row) { list[i] = scanSession(r) }); err != nil {
			return nil, err
		}
	}
	return list, c.models(ids, list)
}

// Session is one session.
func (s *Store) Session(ctx context.Context, id string) (one session.Session, err error) {
	err = s.read(ctx, func(c *conn) error {
		one, err = c.session(id)
		return err
	})
	return one, err
}

func (c *conn) session(id string) (session.Session, error) {
	found, err := c.resolve(id, onlySessions)
	if err != nil {
		return session.Session{}, err
	}
	list, err := c.sessions([]any{found.session})
	if err != nil {
		return session.Session{}, err
	}
	return list[0], nil
}

// Rename gives a session a display name.
func (s *Store) Rename(ctx context.Context, id, name string) (renamed session.Session, err error) {
	err = s.write(ctx, func(c *conn) error {
		found, err := c.resolve(id, onlySessions)
		if err != nil {
			return err
		}
		if _, err := c.exec("DELETE FROM name WHERE sid = ?", found.sid); err != nil {
			return err
		}
		if name != "" {
			if _, err := c.exec("INSERT INTO name (sid, name) VALUES (?, ?)", found.sid, name); err != nil {
				return err
			}
		}
		if _, err := c.exec("UPDATE session SET name_fold = ? WHERE id = ?", store.Fold(name), found.session); err != nil {
			return err
		}
		if _, err := c.exec("UPDATE session_rest SET name = ? WHERE session = ?", name, found.session); err != nil {
			return err
		}
		renamed, err = c.session(found.sid)
		return err
	})
	return renamed, err
}

// Rollup sums up a session's sub-agents and theirs.
func (s *Store) Rollup(ctx context.Context, sessionID string) (sum store.Rollup, err error) {
	err = s.read(ctx, func(c *conn) error {
		found, err := c.resolve(sessionID, onlySessions)
		if err != nil {
			return err
		}
		return c.each(`WITH RECURSIVE below (id, sid) AS (SELECT id, sid FROM session WHERE id = ?1
			UNION SELECT s.id, s.sid FROM below b JOIN session_rest r ON r.parent = b.sid JOIN session s ON s.id = r.session AND s.subagent)
			SELECT `+sessionSums+` FROM below b JOIN session s ON s.id = b.id JOIN session_rest r ON r.session = s.id WHERE s.id <> ?1`,
			[]any{found.session}, func(r *row) error {
				sum.Sessions++
				sum.Usage.Add(r.usage())
				sum.Counts.Add(r.counts())
				return nil
			})
	})
	return sum, err
}

package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Sessions implements store.Reader.
func (s *Store) Sessions(ctx context.Context, f store.SessionFilter, page store.Page) (store.List[session.Session], error) {
	by, err := f.Order()
	if err != nil {
		return store.List[session.Session]{}, err
	}
	l := listing{name: f.Listing(), where: chosen(f), order: orders[by], ascending: f.Ascending, scans: f.Title != ""}
	var list store.List[session.Session]
	err = s.read(ctx, func(tx pgx.Tx) error {
		list, err = l.page(ctx, tx, page)
		return err
	})
	return list, err
}

// Children implements store.Reader.
func (s *Store) Children(ctx context.Context, sessionID string, page store.Page) (store.List[session.Session], error) {
	var list store.List[session.Session]
	err := s.read(ctx, func(tx pgx.Tx) error {
		id, err := resolve(ctx, tx, sessionID)
		if err != nil {
			return err
		}
		l := listing{name: "children of " + id, order: orders[store.SortStarted], ascending: true}
		l.where.add("parent_id = $", id)
		list, err = l.page(ctx, tx, page)
		return err
	})
	return list, err
}

// chosen are the conditions of a filter.
func chosen(f store.SessionFilter) conditions {
	var c conditions
	if f.Since != 0 {
		c.add("ended_at >= $ AND ended_at <> 0", f.Since)
	}
	if f.Until != 0 {
		c.add("started_at < $ AND started_at <> 0", f.Until)
	}
	if f.Project != "" {
		c.add("(project_folded = $ OR cwd_folded = $)", folded(f.Project))
	}
	if f.Harness != "" {
		c.add("harness = $", session.Clean(f.Harness))
	}
	if f.Model != "" {
		c.add("EXISTS (SELECT FROM tapedeck.session_model m WHERE m.session = session.num AND m.model_folded = $)", folded(f.Model))
	}
	if f.Status != "" {
		c.add("status = $", session.Clean(string(f.Status)))
	}
	if f.Title != "" {
		c.add("(position($ IN title_folded) > 0 OR position($ IN display_folded) > 0)", folded(f.Title))
	}
	if !f.Children {
		c.add("NOT subagent")
	}
	if !f.Internal {
		c.add("NOT internal")
	}
	return c
}

// An order is what sessions are ordered by: columns, of which all but the last
// are there for an index, and what stands in the last.
type order struct {
	columns []string
	number  func(session.Session) int64 // nil: the title that is shown
}

var orders = map[store.SessionSort]order{
	store.SortActive:   {[]string{"ended_at"}, func(s session.Session) int64 { return int64(s.EndedAt) }},
	store.SortStarted:  {[]string{"started_at"}, func(s session.Session) int64 { return int64(s.StartedAt) }},
	store.SortCost:     {[]string{"cost"}, func(s session.Session) int64 { return int64(s.Usage.Cost) }},
	store.SortTokens:   {[]string{"tokens"}, func(s session.Session) int64 { return s.Usage.Total() }},
	store.SortTraces:   {[]string{"traces"}, func(s session.Session) int64 { return s.Counts.Traces }},
	store.SortDuration: {[]string{"duration"}, store.Duration},
	store.SortTitle:    {[]string{"left(shown_folded, 100)", "shown_folded"}, nil},
}

// by is an ORDER BY clause, ties by identifier.
func (o order) by(direction string) string {
	return "ORDER BY " + strings.Join(append(slices.Clone(o.columns), "id"), direction+", ") + direction
}

// beyond is the condition of what follows a position: "<" or ">" it.
func (o order) beyond(comparison string) string {
	if o.number == nil {
		return "(left(shown_folded, 100), shown_folded, id) " + comparison + " (left($, 100), $, $)"
	}
	return "(" + o.columns[0] + ", id) " + comparison + " ($, $)"
}

// position is where a listing ends with this session.
func (o order) position(s session.Session) store.Position {
	if o.number == nil {
		return store.Position{Texts: []string{shownFolded(s), s.ID}}
	}
	return store.Position{Numbers: []int64{o.number(s)}, Texts: []string{s.ID}}
}

// after reads the position that a page follows, as arguments of beyond; nil: it
// is the first.
func (o order) after(listing string, page store.Page) ([]any, error) {
	numbers, texts := 1, 1
	if o.number == nil {
		numbers, texts = 0, 2
	}
	position, err := page.After(listing, numbers, texts)
	if err != nil || position == nil {
		return nil, err
	}
	id := session.Clean(position.Texts[texts-1])
	if o.number == nil {
		shown := session.Clean(position.Texts[0])
		return []any{shown, shown, id}, nil
	}
	return []any{position.Numbers[0], id}, nil
}

// shownFolded is the title that is shown, folded.
func shownFolded(s session.Session) string {
	return folded(cmp.Or(s.DisplayName, s.Title))
}

// A listing is what conditions choose of the sessions, in an order.
type listing struct {
	name      string // for cursors
	where     conditions
	order     order
	ascending bool
	scans     bool // no index has what the conditions look for
}

// few is how many sessions are worth looking at one by one, in place of walking
// along an index until a page is full.
const few = 2000

// page reads a part of the listing.
func (l listing) page(ctx context.Context, tx pgx.Tx, page store.Page) (store.List[session.Session], error) {
	list := store.List[session.Session]{Items: []session.Session{}}
	after, err := l.order.after(l.name, page)
	if err != nil {
		return list, err
	}
	where := l.where.clone()
	if list.Total, err = l.count(ctx, tx, &where); err != nil || list.Total == 0 {
		return list, err
	}
	direction, comparison := " DESC", "<"
	if l.ascending {
		direction, comparison = "", ">"
	}
	if after != nil {
		where.add(l.order.beyond(comparison), after...)
	}
	list.Items, err = selectSessions(ctx, tx, where, fmt.Sprint(l.order.by(direction), " LIMIT ", page.Size()+1))
	if err == nil && len(list.Items) > page.Size() {
		list.Items = list.Items[:page.Size()]
		list.Next = l.order.position(list.Items[page.Size()-1]).Cursor(l.name)
	}
	return list, err
}

// count counts what the listing has. No index finds parts of titles: where few
// sessions have one, the conditions become those sessions, so that all are looked
// through once only.
func (l listing) count(ctx context.Context, tx pgx.Tx, where *conditions) (total int64, err error) {
	if l.scans {
		rows, err := tx.Query(ctx, fmt.Sprint("SELECT num FROM tapedeck.session", l.where.sql(), " LIMIT ", few+1), l.where.args...)
		if err != nil {
			return 0, err
		}
		chosen, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil || len(chosen) <= few {
			*where = conditions{}
			where.add("num = ANY($)", chosen)
			return int64(len(chosen)), err
		}
	}
	err = tx.QueryRow(ctx, "SELECT count(*) FROM tapedeck.session"+l.where.sql(), l.where.args...).Scan(&total)
	return total, err
}

// selectSessions reads sessions with their models; tail orders and limits them.
func selectSessions(ctx context.Context, tx pgx.Tx, where conditions, tail string) ([]session.Session, error) {
	rows, err := tx.Query(ctx, "SELECT display_name, "+parentColumns+", "+sessionColumns+" FROM tapedeck.session"+where.sql()+" "+tail, where.args...)
	if err != nil {
		return nil, err
	}
	sessions, err := pgx.AppendRows([]session.Session{}, rows, scanSession)
	if err != nil || len(sessions) == 0 {
		return sessions, err
	}
	index := make(map[string]*session.Session, len(sessions))
	ids := make([]string, len(sessions))
	for i := range sessions {
		ids[i] = sessions[i].ID
		index[ids[i]] = &sessions[i]
	}
	rows, err = tx.Query(ctx, "SELECT session.id, model, calls, "+names(usageColumns, "m.")+
		" FROM tapedeck.session_model m JOIN tapedeck.session ON session.num = m.session WHERE session.id = ANY($1) ORDER BY model", ids)
	if err != nil {
		return nil, err
	}
	var id string
	var m session.ModelUsage
	_, err = pgx.ForEachRow(rows, append([]any{&id, &m.Model, &m.Calls}, usageFields(&m.Usage)...), func() error {
		index[id].Models = append(index[id].Models, m)
		return nil
	})
	return sessions, err
}

func scanSession(row pgx.CollectableRow) (session.Session, error) {
	s := session.Session{Models: []session.ModelUsage{}}
	var parentID *string
	var parent session.Origin
	err := row.Scan(append([]any{&s.DisplayName, &parentID, &parent.Relation, &parent.TraceID, &parent.SpanID}, sessionFields(&s)...)...)
	if parentID != nil {
		parent.SessionID = *parentID
		s.Parent = &parent
	}
	return s, err
}

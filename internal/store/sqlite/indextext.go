package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// effort bounds what a search for words costs: FTS5 ranks whatever matches, which
// takes some microseconds a text, and only then gives the best.
type effort struct {
	// many texts have a word that tells too little to be ranked by, if the query has
	// others.
	many int
	// ranked is how many texts are ranked as long as there are enough hits among them:
	// those that have the rarest words.
	ranked int
	// few documents of sessions that are chosen are listed, rather than each text that
	// matches asked for its sessions.
	few int
	// terms is how many terms, the rarest, are looked for.
	terms int
}

// usualEffort keeps most queries of 3 to 8 words below 25 ms in 100,000 texts.
var usualEffort = effort{many: 30_000, ranked: 5000, few: 5000, terms: 64}

// SearchText finds documents that have any of the words, best first. In a store of
// so many texts that ranking all would take long, those that have none of the
// query's rarer words come last, if they are needed, and of them the latest.
func (s *Store) SearchText(ctx context.Context, q store.TextQuery) ([]store.IndexHit, error) {
	return s.searchText(ctx, q, usualEffort)
}

func (s *Store) searchText(ctx context.Context, q store.TextQuery, e effort) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	chosen, err := chosenDocuments(q.Filter)
	expressions := expressions(q.Terms)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	if len(expressions) == 0 || q.Limit < 1 {
		return hits, nil
	}
	err = s.read(ctx, func(c *conn) error {
		terms, err := s.weigh(c, expressions, e)
		if err != nil {
			return err
		}
		ts := textSearch{conn: c, chosen: chosen, bySession: q.Filter.SessionID != "" || q.Filter.Project != "" || q.Filter.Harness != "", limit: q.Limit, effort: e}
		found, err := ts.run(terms)
		if err != nil {
			return err
		}
		hits, err = c.hits(found)
		return err
	})
	return hits, err
}

// textTerm is a term with how many texts have it, at most effort.many.
type textTerm struct {
	match string
	texts int
}

// weigh counts the texts that have terms; those that none has are left out. The
// rarest come first.
func (s *Store) weigh(c *conn, expressions []string, e effort) ([]textTerm, error) {
	var terms []textTerm
	for _, match := range expressions {
		if s.frequent.has(match, e.many) {
			terms = append(terms, textTerm{match, e.many})
			continue
		}
		n, err := c.number("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", match, e.many)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			terms = append(terms, textTerm{match, int(n)})
		}
		if int(n) == e.many {
			s.frequent.add(match, e.many)
		}
	}
	slices.SortStableFunc(terms, func(a, b textTerm) int { return cmp.Compare(a.texts, b.texts) })
	return terms[:min(len(terms), e.terms)], nil
}

// textSearch is one search.
type textSearch struct {
	conn      *conn
	chosen    conditions
	bySession bool // the filter chooses sessions
	limit     int
	effort
}

// run looks among ever more texts until there are enough hits.
func (ts *textSearch) run(terms []textTerm) (found []foundDocument, err error) {
	telling, gate, sum := 0, 0, 0
	for i, term := range terms {
		if term.texts == ts.many {
			break
		}
		telling = i + 1
		if sum += term.texts; i == 0 || sum <= ts.ranked {
			gate = i + 1
		}
	}
	if gate < telling {
		// The texts must have one of the first; twice in the expression is every term,
		// so that all count alike.
		first, others := anyOf(terms[:gate]), anyOf(terms[gate:telling])
		if found, err = ts.rank("(" + first + ") AND (" + first + " OR " + others + " OR " + others + ")"); err != nil || len(found) == ts.limit {
			return found, err
		}
	}
	if err := ts.narrow(); err != nil {
		return nil, err
	}
	if telling > 0 {
		if found, err = ts.rank(anyOf(terms[:telling])); err != nil || len(found) == ts.limit {
			return found, err
		}
	}
	if telling < len(terms) {
		return ts.fill(found, anyOf(terms[telling:]))
	}
	return found, nil
}

// chosenTexts are the texts of documents that are chosen, by their sessions.
const chosenTexts = "SELECT d.text FROM session s CROSS JOIN document d ON d.session = s.id"

// narrow has what matches looked up in a list of the chosen texts if these are few.
func (ts *textSearch) narrow() error {
	if !ts.bySession {
		return nil
	}
	listed := ts.chosen
	n, err := ts.conn.number("SELECT count(*) FROM ("+chosenTexts+listed.where()+" LIMIT ?)", append(slices.Clone(listed.args), ts.few+1)...)
	if err == nil && int(n) <= ts.few {
		// The plus keeps FTS5 from looking for each of them.
		ts.chosen = conditions{texts: slices.Clone(listed.texts), args: slices.Clone(listed.args)}
		ts.chosen.add("+words.rowid IN ("+chosenTexts+listed.where()+")", listed.args...)
	}
	return err
}

// anyOf is an expression for texts that have any of the terms.
func anyOf(terms []textTerm) string {
	matches := make([]string, len(terms))
	for i, term := range terms {
		matches[i] = term.match
	}
	return strings.Join(matches, " OR ")
}

// selectRanked has the score of documents. The order of the join is that of its
// tables: what matches is few, and looked up.
const selectRanked = `SELECT d.id AS id, -bm25(words, 1.0, 0.5) AS score, d.started AS started
	FROM words CROSS JOIN document d ON d.text = words.rowid CROSS JOIN session s ON s.id = d.session`

// rank finds the best of all that match.
func (ts *textSearch) rank(match string) ([]foundDocument, error) {
	return ts.list(selectRanked+ts.chosen.where()+" AND words MATCH ? ORDER BY score DESC, started DESC, id LIMIT ?", match, ts.limit)
}

// fill adds the best of the latest that match.
func (ts *textSearch) fill(found []foundDocument, match string) ([]foundDocument, error) {
	latest, err := ts.list("SELECT * FROM ("+selectRanked+ts.chosen.where()+
		" AND words MATCH ? ORDER BY words.rowid DESC LIMIT ?) ORDER BY score DESC, started DESC, id", match, ts.limit+ts.ranked)
	if err != nil {
		return nil, err
	}
	there := make(map[int64]bool, len(found))
	for _, d := range found {
		there[d.id] = true
	}
	for _, d := range latest {
		if len(found) == ts.limit {
			break
		}
		if there[d.id] {
			continue
		}
		if len(found) > 0 {
			d.score = min(d.score, found[len(found)-1].score)
		}
		found = append(found, d)
	}
	return found, nil
}

func (ts *textSearch) list(query, match string, limit int) (found []foundDocument, err error) {
	err = ts.conn.each(query, append(slices.Clone(ts.chosen.args), match, limit), func(r *row) error {
		found = append(found, foundDocument{id: r.int(), score: r.float()})
		return nil
	})
	return found, err
}

// foundDocument is a document that was found. A text's place is all of it.
type foundDocument struct {
	id         int64
	score      float64
	start, end int
}

const selectHit = `SELECT d.span, d.trace, s.sid, d.kind, d.model, d.started, x.hash
	FROM document d CROSS JOIN session s ON s.id = d.session CROSS JOIN indexed x ON x.id = d.text WHERE d.id = ?`

// hits reads what was found; documents that are gone are left out.
func (c *conn) hits(found []foundDocument) ([]store.IndexHit, error) {
	hits := make([]store.IndexHit, 0, len(found))
	for _, d := range found {
		_, err := c.one(selectHit, []any{d.id}, func(r *row) {
			hits = append(hits, store.IndexHit{
				SpanID: r.ident(), TraceID: r.ident(), SessionID: r.text(), Kind: session.Kind(r.text()), Model: r.text(),
				StartedAt: session.Time(r.int()), Hash: r.hash(), Score: d.score, Start: d.start, End: d.end,
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

func (r *row) float() float64 {
	x, _ := r.value().(float64)
	return x
}

// frequent remembers for a while which terms many texts have: to count them again
// takes as long as the search.
type frequent struct {
	mu    sync.Mutex
	until map[frequentTerm]time.Time
}

type frequentTerm struct {
	match string
	texts int
}

const (
	frequentFor = 10 * time.Minute
	maxFrequent = 10_000
)

func (f *frequent) has(match string, texts int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Before(f.until[frequentTerm{match, texts}])
}

func (f *frequent) add(match string, texts int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil || len(f.until) >= maxFrequent {
		f.until = map[frequentTerm]time.Time{}
	}
	f.until[frequentTerm{match, texts}] = time.Now().Add(frequentFor)
}

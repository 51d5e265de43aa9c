package sqlite

import (
	"cmp"
	"slices"
	"sync"

	"tapedeck/internal/session"
)

// catalog is what a process keeps in memory of the documents, so that a search for
// a vector reads nothing but what it found: 40 bytes a document and about as much a
// text, and the vectors. It is made with the first such search. Before each it takes
// up what came since then, and forgets what went, whichever process did it.
type catalog struct {
	mu        sync.RWMutex
	loaded    bool
	seen      seen
	documents []catalogDocument // in the order of their ids
	removed   int               // of documents
	slots     map[int64]int32   // of texts
	firsts    []int32           // the latest document of a slot's; none: -1
	sessions  []catalogSession
	places    map[int64]int32   // in sessions
	models    map[string]int32  // folded
	matrices  map[int64]*matrix // by generation
}

// catalogDocument is a document in memory.
type catalogDocument struct {
	id      int64
	started session.Time
	slot    int32 // of its text; gone: it is removed
	next    int32 // another document with the same text; -1: none
	session int32
	model   int32
	kind    byte
}

// gone is the slot of what is removed.
const gone = -1

// Kinds of documents.
const (
	otherKind byte = iota
	llmKind
	toolKind
)

func kindByte(kind session.Kind) byte {
	switch kind {
	case session.KindLLM:
		return llmKind
	case session.KindTool:
		return toolKind
	}
	return otherKind
}

// catalogSession is what filters ask of a session.
type catalogSession struct {
	row                int64
	sid, harness       string
	project, cwd       string // folded
	subagent, internal bool
}

// seen is how far tables were read.
type seen struct{ document, vector, forgotten int64 }

// reach is how far they can be read, and where what is forgotten begins.
func (c *conn) reach() (s seen, oldest int64, err error) {
	_, err = c.one(`SELECT (SELECT coalesce(max(id), 0) FROM document), (SELECT coalesce(max(id), 0) FROM vector),
		(SELECT coalesce(max(id), 0) FROM forgotten), (SELECT coalesce(min(id), 0) FROM forgotten)`, nil,
		func(r *row) { s, oldest = seen{r.int(), r.int(), r.int()}, r.int() })
	return s, oldest, err
}

// follow brings the catalog to at least the state that a connection sees, and
// returns a generation's vectors. If there is no error the catalog is locked for
// reading; the caller unlocks it.
func (c *catalog) follow(db *conn, generation int64, width int) (*matrix, error) {
	now, oldest, err := db.reach()
	if err != nil {
		return nil, err
	}
	for {
		c.mu.RLock()
		m := c.matrices[generation]
		if c.loaded && m != nil && now.document <= c.seen.document && now.forgotten <= c.seen.forgotten && now.vector <= m.seen {
			return m, nil
		}
		c.mu.RUnlock()
		if err := c.advance(db, now, oldest, generation, width); err != nil {
			return nil, err
		}
	}
}

// advance reads what is new.
func (c *catalog) advance(db *conn, now seen, oldest, generation int64, width int) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.loaded || oldest > c.seen.forgotten+1 || c.removed > len(c.documents)/2+1000 {
		c.reset(now)
	}
	c.loaded = false // so that all is read anew after an error
	if err := c.dropMatrices(db); err != nil {
		return err
	}
	if err := c.forget(db); err != nil {
		return err
	}
	if err := c.take(db); err != nil {
		return err
	}
	m := c.matrices[generation]
	if m == nil || m.replaced > len(m.entries)/2+1000 {
		m = newMatrix(width)
		c.matrices[generation] = m
	}
	if err := m.take(db, generation, c.slot); err != nil {
		return err
	}
	c.seen.document, m.seen = max(c.seen.document, now.document), max(m.seen, now.vector)
	c.loaded = true
	return nil
}

// reset empties the catalog; what was forgotten before it is filled is not there.
func (c *catalog) reset(now seen) {
	c.seen, c.removed = seen{forgotten: now.forgotten}, 0
	c.documents, c.firsts, c.sessions = nil, nil, nil
	c.slots, c.places, c.models, c.matrices = map[int64]int32{}, map[int64]int32{}, map[string]int32{}, map[int64]*matrix{}
}

// dropMatrices drops those of generations that are gone.
func (c *catalog) dropMatrices(db *conn) error {
	if len(c.matrices) == 0 {
		return nil
	}
	there := map[int64]bool{}
	err := db.each("SELECT id FROM generation", nil, func(r *row) error {
		there[r.int()] = true
		return nil
	})
	for generation := range c.matrices {
		if err == nil && !there[generation] {
			delete(c.matrices, generation)
		}
	}
	return err
}

// forget removes documents that went, and reads sessions that changed.
func (c *catalog) forget(db *conn) error {
	return db.each("SELECT id, document, session FROM forgotten WHERE id > ? ORDER BY id", []any{c.seen.forgotten}, func(r *row) error {
		c.seen.forgotten = r.int()
		if !r.null() {
			c.remove(r.int())
			return nil
		}
		if place, known := c.places[r.int()]; known {
			return c.readSession(db, place)
		}
		return nil
	})
}

func (c *catalog) remove(id int64) {
	at, known := slices.BinarySearchFunc(c.documents, id, func(d catalogDocument, id int64) int { return cmp.Compare(d.id, id) })
	if known && c.documents[at].slot != gone {
		c.documents[at].slot = gone
		c.removed++
	}
}

// take adds new documents.
func (c *catalog) take(db *conn) error {
	query := "SELECT id, text, session, kind, fold, started FROM document WHERE id > ? ORDER BY id"
	return db.each(query, []any{c.seen.document}, func(r *row) error {
		d := catalogDocument{id: r.int(), slot: c.slot(r.int())}
		var err error
		if d.session, err = c.session(db, r.int()); err != nil {
			return err
		}
		d.kind, d.model, d.started = kindByte(session.Kind(r.text())), c.model(r.text()), session.Time(r.int())
		d.next = c.firsts[d.slot]
		c.firsts[d.slot] = int32(len(c.documents))
		c.documents = append(c.documents, d)
		c.seen.document = d.id
		return nil
	})
}

// slot is a text's place.
func (c *catalog) slot(text int64) int32 {
	slot, known := c.slots[text]
	if !known {
		slot = int32(len(c.firsts))
		c.slots[text], c.firsts = slot, append(c.firsts, -1)
	}
	return slot
}

func (c *catalog) model(fold string) int32 {
	model, known := c.models[fold]
	if !known {
		model = int32(len(c.models))
		c.models[fold] = model
	}
	return model
}

// session is the place of a session's row.
func (c *catalog) session(db *conn, row int64) (int32, error) {
	place, known := c.places[row]
	if known {
		return place, nil
	}
	place = int32(len(c.sessions))
	c.places[row], c.sessions = place, append(c.sessions, catalogSession{row: row})
	return place, c.readSession(db, place)
}

// readSession reads a session; one that is gone has no documents any more.
func (c *catalog) readSession(db *conn, place int32) error {
	s := &c.sessions[place]
	_, err := db.one("SELECT sid, harness, project_fold, cwd_fold, subagent, internal FROM session WHERE id = ?", []any{s.row}, func(r *row) {
		s.sid, s.harness, s.project, s.cwd, s.subagent, s.internal = r.text(), r.text(), r.text(), r.text(), r.bool(), r.bool()
	})
	return err
}

package sqlite

import (
	"cmp"
	"slices"

	"tapedeck/internal/session"
)

// streamState is a stream's row while a transaction changes it.
type streamState struct {
	id       int64
	ref      session.Ref
	facts    session.StreamFacts
	records  int64
	shared   bool
	deleted  bool
	fresh    session.Place
	newFacts bool
	changed  bool
}

// mark notes that records from a place on have to be read again.
func (st *streamState) mark(from session.Place) {
	st.changed = true
	if from.Order != 0 && st.fresh != (session.Place{}) && from.Before(st.fresh) {
		st.fresh = from
	}
}

// markAll notes that all records have to be read again.
func (st *streamState) markAll() {
	st.changed = true
	st.fresh = session.Place{}
}

// changes are the streams that a transaction concerns.
type changes struct {
	conn  *conn
	byRef map[session.Ref]*streamState
	byID  map[int64]*streamState
}

func newChanges(c *conn) *changes {
	return &changes{conn: c, byRef: map[session.Ref]*streamState{}, byID: map[int64]*streamState{}}
}

const stateColumns = `SELECT id, harness, key, parent_harness, parent_key, fork_harness, fork_key, records, shared, deleted_by IS NOT NULL,
	fresh_order, fresh_pos, fresh_key FROM stream `

func (ch *changes) scan(r *row) *streamState {
	st := &streamState{id: r.int(), ref: r.ref()}
	st.facts = r.facts()
	st.records, st.shared, st.deleted = r.int(), r.bool(), r.bool()
	st.fresh = session.Place{Order: r.int(), Pos: r.int(), Key: r.text()}
	ch.byRef[st.ref], ch.byID[st.id] = st, st
	return st
}

// stream is a stream's state; one that there is not is made.
func (ch *changes) stream(ref session.Ref) (*streamState, error) {
	st, err := ch.find(ref)
	if st != nil || err != nil {
		return st, err
	}
	id, err := ch.conn.number("INSERT INTO stream (harness, key, sid, version) VALUES (?, ?, ?, 0) RETURNING id", ref.Harness, ref.Key, ref.SessionID())
	if err != nil {
		return nil, err
	}
	st = &streamState{id: id, ref: ref, changed: true}
	ch.byRef[ref], ch.byID[id] = st, st
	return st, nil
}

// find is a stream's state, nil if there is none.
func (ch *changes) find(ref session.Ref) (st *streamState, err error) {
	if st := ch.byRef[ref]; st != nil {
		return st, nil
	}
	_, err = ch.conn.one(stateColumns+"WHERE harness = ? AND key = ?", []any{ref.Harness, ref.Key}, func(r *row) { st = ch.scan(r) })
	return st, err
}

func (ch *changes) get(id int64) (st *streamState, err error) {
	if st := ch.byID[id]; st != nil {
		return st, nil
	}
	_, err = ch.conn.one(stateColumns+"WHERE id = ?", []any{id}, func(r *row) { st = ch.scan(r) })
	return st, err
}

// write writes what changed, as one change.
func (ch *changes) write() error {
	var changed []*streamState
	for _, st := range ch.byID {
		if st.changed {
			changed = append(changed, st)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.SortFunc(changed, func(a, b *streamState) int { return cmp.Compare(a.id, b.id) })
	change, err := ch.conn.number("UPDATE counter SET change = change + 1 RETURNING change")
	if err != nil {
		return err
	}
	for _, st := range changed {
		if _, err := ch.conn.exec(`UPDATE stream SET version = ?, records = ?, shared = ?, fresh_order = ?, fresh_pos = ?, fresh_key = ? WHERE id = ?`,
			change, st.records, st.shared, st.fresh.Order, st.fresh.Pos, st.fresh.Key, st.id); err != nil {
			return err
		}
		if !st.newFacts {
			continue
		}
		parent, fork := refArgs(st.facts.Parent), refArgs(st.facts.ForkedFrom)
		if _, err := ch.conn.exec("UPDATE stream SET parent_harness = ?, parent_key = ?, fork_harness = ?, fork_key = ? WHERE id = ?",
			parent[0], parent[1], fork[0], fork[1], st.id); err != nil {
			return err
		}
	}
	return nil
}

// before marks what new records change, as long as they are not there.
func (ch *changes) before(st *streamState, vs *versions) error {
	others, err := ch.holders(st, vs.fresh)
	if err != nil {
		return err
	}
	lower, err := ch.lowersFirstOwn(st, append(slices.Clone(vs.fresh), vs.moved...))
	if err != nil {
		return err
	}
	if lower {
		if err := ch.markSiblings(st); err != nil {
			return err
		}
		st.markAll()
	}
	for _, other := range others {
		other.shared = true
		other.markAll()
		st.shared = true
		st.markAll()
	}
	return nil
}

// holders are the other streams that hold the origins of the records.
func (ch *changes) holders(st *streamState, records []*version) (map[int64]*streamState, error) {
	origins := make(map[int64][]string)
	var hashes []any
	for _, v := range records {
		if v.Origin != "" {
			hash := hash64(v.Origin)
			origins[hash] = append(origins[hash], v.Origin)
			hashes = append(hashes, hash)
		}
	}
	others := map[int64]*streamState{}
	err := ch.conn.lookup("SELECT stream, origin_hash, key, origin FROM record WHERE stream <> ? AND origin_hash", []any{st.id}, hashes, func(r *row) error {
		stream, hash, key := r.int(), r.int(), r.text()
		if others[stream] != nil || !slices.Contains(origins[hash], r.origin(key)) {
			return nil
		}
		var err error
		others[stream], err = ch.get(stream)
		return err
	})
	return others, err
}

// lowersFirstOwn reports whether the records can change what is the first that
// only this stream holds, and with it who of its siblings is earlier. They can't
// when they stand behind one that no other stream holds.
func (ch *changes) lowersFirstOwn(st *streamState, records []*version) (bool, error) {
	var least int64
	for _, v := range records {
		if v.Order != 0 && (least == 0 || v.Order < least) {
			least = v.Order
		}
	}
	if !st.shared || least == 0 {
		return false, nil
	}
	var first int64
	found, err := ch.conn.one(`SELECT ord FROM record r WHERE stream = ? AND ord <> 0 AND NOT EXISTS
		(SELECT 1 FROM record o WHERE o.origin_hash = r.origin_hash AND o.stream <> r.stream) ORDER BY ord LIMIT 1`,
		[]any{st.id}, func(r *row) { first = r.int() })
	return !found || least < first, err
}

// siblings are the streams that share origins with this one.
func (ch *changes) siblings(st *streamState) (list []*streamState, err error) {
	err = ch.conn.each(`SELECT DISTINCT o.stream FROM record r JOIN record o ON o.origin_hash = r.origin_hash AND o.stream <> r.stream
		WHERE r.stream = ? AND r.origin_hash IS NOT NULL ORDER BY 1`, []any{st.id}, func(r *row) error {
		other, err := ch.get(r.int())
		list = append(list, other)
		return err
	})
	return list, err
}

func (ch *changes) markSiblings(st *streamState) error {
	list, err := ch.siblings(st)
	for _, other := range list {
		other.markAll()
	}
	return err
}

// after marks what the records change, now that they are there.
func (ch *changes) after(st *streamState, vs *versions, abouts bool) error {
	st.changed = true
	for _, place := range vs.places {
		st.mark(place)
	}
	touched := append(slices.Clone(vs.fresh), vs.moved...)
	if err := ch.markTold(touched); err != nil {
		return err
	}
	if !abouts {
		return nil
	}
	return ch.markTelling(st, vs.fresh)
}

// markTold marks the streams that hold what the records are about.
func (ch *changes) markTold(records []*version) error {
	for _, v := range records {
		if v.About == "" {
			continue
		}
		err := ch.conn.each("SELECT DISTINCT stream FROM record WHERE origin_hash = ? AND iif(origin = '', key, origin) = ?",
			[]any{hash64(v.About), v.About}, func(r *row) error {
				told, err := ch.get(r.int())
				if err == nil {
					told.mark(v.Place())
				}
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// markTelling marks the stream where records that were there are about its new
// ones, and are read with it from now on.
func (ch *changes) markTelling(st *streamState, records []*version) error {
	var hashes []any
	for _, v := range records {
		if v.Origin != "" {
			hashes = append(hashes, hash64(v.Origin))
		}
	}
	return ch.conn.lookup("SELECT ord, pos, key FROM record WHERE about_hash", nil, hashes, func(r *row) error {
		st.mark(session.Place{Order: r.int(), Pos: r.int(), Key: r.text()})
		return nil
	})
}

// ref is the next two columns' ref.
func (r *row) ref() session.Ref { return session.Ref{Harness: r.text(), Key: r.text()} }

// facts are the next four columns' facts.
func (r *row) facts() (f session.StreamFacts) {
	parent, fork := r.ref(), r.ref()
	if parent != (session.Ref{}) {
		f.Parent = &parent
	}
	if fork != (session.Ref{}) {
		f.ForkedFrom = &fork
	}
	return f
}

func refArgs(ref *session.Ref) [2]any {
	if ref == nil {
		return [2]any{}
	}
	return [2]any{ref.Harness, ref.Key}
}

func compareRefs(a, b session.Ref) int {
	return cmp.Or(cmp.Compare(a.Harness, b.Harness), cmp.Compare(a.Key, b.Key))
}

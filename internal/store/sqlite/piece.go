package sqlite

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"tapedeck/internal/store/body"
)

// pieces keeps bodies in the table of pieces.
type pieces struct {
	conn *conn
	next int64             // id of the next piece; 0: not known yet
	ids  map[body.ID]int64 // of the pieces that were put
	rows *bulk
	bufs [][]byte // one a processor, for stored forms until they are inserted
}

func newPieces(c *conn) *pieces {
	return &pieces{conn: c, ids: map[body.ID]int64{}, rows: newBulk(c, "piece", "id", "hash", "refs", "data"),
		bufs: make([][]byte, runtime.GOMAXPROCS(0))}
}

// keep keeps the bodies with these roots, each for one more reference.
func (p *pieces) keep(roots []*body.Piece) error { return body.Keep(roots, p.put) }

// id is that of a root that was kept.
func (p *pieces) id(root body.ID) int64 { return p.ids[root] }

func (p *pieces) put(wants []body.Want) error {
	if err := p.find(wants); err != nil {
		return err
	}
	var fresh []*body.Piece
	var refs []int64
	for i := range wants {
		w := &wants[i]
		if id, ok := p.ids[w.Piece.ID]; ok {
			if _, err := p.conn.exec("UPDATE piece SET refs = refs + ? WHERE id = ?", w.Refs, id); err != nil {
				return err
			}
			continue
		}
		w.Fresh = true
		fresh, refs = append(fresh, w.Piece), append(refs, w.Refs)
	}
	for len(fresh) > 0 {
		n := min(len(fresh), encodeAtOnce)
		if err := p.insert(fresh[:n], refs[:n]); err != nil {
			return err
		}
		fresh, refs = fresh[n:], refs[n:]
	}
	return nil
}

// find looks up the ids of the pieces that are there.
func (p *pieces) find(wants []body.Want) error {
	values := make([]any, len(wants))
	for i, w := range wants {
		values[i] = w.Piece.ID[:]
	}
	return p.conn.lookup("SELECT id, hash FROM piece WHERE hash", nil, values, func(r *row) error {
		id, hash := r.int(), r.blob()
		if len(hash) != len(body.ID{}) {
			return fmt.Errorf("%w: piece %d has a hash of %d bytes", body.ErrDamaged, id, len(hash))
		}
		p.ids[body.ID(hash)] = id
		return nil
	})
}

// encodeAtOnce is how many pieces are compressed before they are inserted: enough
// to give each processor some, little memory.
const encodeAtOnce = 256

func (p *pieces) insert(fresh []*body.Piece, refs []int64) error {
	if p.next == 0 {
		last, err := p.conn.number("SELECT max(id) FROM piece")
		if err != nil {
			return err
		}
		p.next = last + 1
	}
	for i, stored := range p.encoded(fresh) {
		id := &fresh[i].ID
		p.ids[*id] = p.next
		if err := p.rows.add(p.next, id[:], refs[i], stored); err != nil {
			return err
		}
		p.next++
	}
	return p.rows.flush()
}

// encoded are the stored forms of pieces, valid until the next call; compressing
// takes about as long as inserting, so all processors take part.
func (p *pieces) encoded(fresh []*body.Piece) [][]byte {
	stored := make([][]byte, len(fresh))
	share := (len(fresh) + len(p.bufs) - 1) / len(p.bufs)
	var work sync.WaitGroup
	for i := range p.bufs {
		start := min(i*share, len(fresh))
		part := fresh[start:min(start+share, len(fresh))]
		work.Go(func() {
			buf := p.bufs[i][:0]
			for j, piece := range part {
				from := len(buf)
				buf = piece.Encode(buf)
				stored[start+j] = buf[from:len(buf):len(buf)]
			}
			p.bufs[i] = buf
		})
	}
	work.Wait()
	return stored
}

// drop takes a reference from each root and removes what none is left to.
func (p *pieces) drop(roots []body.ID) error { return body.Drop(roots, p.release) }

func (p *pieces) release(less []body.Release) (gone [][]byte, err error) {
	for _, r := range less {
		var id int64
		_, err := p.conn.one("UPDATE piece SET refs = refs - ? WHERE hash = ? RETURNING iif(refs > 0, 0, id), iif(refs > 0, NULL, data)",
			[]any{r.Refs, r.ID[:]}, func(r *row) {
				if id = r.int(); id != 0 {
					gone = append(gone, r.blob())
				}
			})
		if err != nil {
			return nil, err
		}
		if id != 0 {
			if _, err := p.conn.exec("DELETE FROM piece WHERE id = ?", id); err != nil {
				return nil, err
			}
		}
	}
	return gone, nil
}

// fetch returns the stored forms of pieces, in their order.
func (c *conn) fetch(ids []body.ID) ([][]byte, error) {
	values := make([]any, 0, len(ids))
	for i, id := range ids {
		if !slices.Contains(ids[:i], id) {
			values = append(values, id[:])
		}
	}
	found := make(map[body.ID][]byte, len(values))
	err := c.lookup("SELECT hash, data FROM piece WHERE hash", nil, values, func(r *row) error {
		hash := r.blob()
		found[body.ID(hash)] = r.blob()
		return nil
	})
	if err != nil {
		return nil, err
	}
	stored := make([][]byte, len(ids))
	for i, id := range ids {
		data, ok := found[id]
		if !ok {
			return nil, fmt.Errorf("%w: its piece %x is missing", body.ErrDamaged, id)
		}
		stored[i] = data
	}
	return stored, nil
}

package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store/body"
)

// A digest is the first half of a text's SHA-256: what an index finds it by.
type digest [16]byte

func digestOf(text string) digest {
	sum := sha256.Sum256([]byte(text))
	return digest(sum[:len(digest{})])
}

// A row is a record in the database, or on its way there.
type row struct {
	stream int64
	key    string
	keyID  digest
	// version, size and sum say which of a key's rows counts, and with the key
	// which rows are the same.
	version int64
	size    int64
	sum     body.Sum
	origin  string // "": none
	about   string // "": of its own stream
	order   int64
	pos     int64
	at      session.Time
	counts  bool

	body []byte // of a new one
	// moved is set when it is not as in the database, altered when that is so for
	// its order or what it refers to.
	moved, altered bool
}

const rowColumns = "stream, key, key_id, version, size, sum, origin, about, ord, pos, at, counts"

// newRow is the row of a record whose body has this hash.
func newRow(r *session.Record, sum body.Sum) *row {
	return &row{
		key: r.Key, keyID: digestOf(r.Key), version: r.Version, size: int64(len(r.Body)), sum: sum,
		origin: r.Origin, about: r.About, order: r.Order, pos: r.Pos, at: r.At, body: r.Body,
	}
}

// selectRows reads rows; tail joins, chooses and orders them.
func selectRows(ctx context.Context, tx pgx.Tx, tail string, args ...any) ([]*row, error) {
	rows, err := tx.Query(ctx, "SELECT "+names(rowColumns, "record.")+" FROM tapedeck.record "+tail, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(columns pgx.CollectableRow) (*row, error) {
		var r row
		var key, sum, origin, about []byte
		err := columns.Scan(&r.stream, &key, (*[16]byte)(&r.keyID), &r.version, &r.size, &sum, &origin, &about, &r.order, &r.pos, &r.at, &r.counts)
		r.key, r.origin, r.about = string(key), string(origin), string(about)
		copy(r.sum[:], sum)
		return &r, err
	})
}

// insertRows inserts rows; their bodies are kept apart.
func insertRows(ctx context.Context, tx pgx.Tx, rows []*row) error {
	return copyIn(ctx, tx, "record", rowColumns+", body, origin_id, about_id", rows, func(r **row) []any {
		return (*r).values()
	})
}

func (r *row) values() []any {
	origin, about := nullable(r.origin), nullable(r.about)
	return []any{r.stream, []byte(r.key), [16]byte(r.keyID), r.version, r.size, r.sum[:], origin[0], about[0], r.order, r.pos, r.at,
		r.counts, [16]byte(body.Root(r.sum)), origin[1], about[1]}
}

// nullable is a text with its digest; both are NULL for none.
func nullable(text string) [2]any {
	if text == "" {
		return [2]any{}
	}
	return [2]any{[]byte(text), [16]byte(digestOf(text))}
}

func (r *row) place() session.Place { return session.Place{Order: r.order, Pos: r.pos, Key: r.key} }

// same reports whether two rows of one key are the same record.
func (r *row) same(o *row) bool { return r.version == o.version && r.sum == o.sum }

// meet takes from a copy of the record what counts of the two: the least place.
// What importers say of equal bodies is equal otherwise; should it not be, what is
// said wins over what is not, and the lesser over the greater.
func (r *row) meet(o *row) {
	before := *r
	if o.place().Before(r.place()) {
		r.order, r.pos = o.order, o.pos
	}
	r.at = lesserKnown(r.at, o.at)
	r.origin, r.about = lesserKnown(r.origin, o.origin), lesserKnown(r.about, o.about)
	r.altered = r.altered || r.order != before.order || r.origin != before.origin || r.about != before.about
	r.moved = r.moved || r.altered || r.pos != before.pos || r.at != before.at
}

func lesserKnown[T session.Time | string](a, b T) T {
	var unknown T
	if a == unknown || b != unknown && b < a {
		return b
	}
	return a
}

// rank says which of two rows of one key counts (see session.Record): the lesser.
func (r *row) rank(o *row) int {
	return cmp.Or(cmp.Compare(o.version, r.version), cmp.Compare(o.size, r.size), bytes.Compare(o.sum[:], r.sum[:]))
}

// comparePlaces orders rows as they are read: first those without a place.
func comparePlaces(a, b *row) int {
	if (a.order == 0) != (b.order == 0) {
		if a.order == 0 {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.pos, b.pos), cmp.Compare(a.key, b.key))
}

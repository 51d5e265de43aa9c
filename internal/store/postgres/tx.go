package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// attempts is how often a transaction is tried that others stand in the way of.
const attempts = 8

// writeLock is the advisory lock of whoever writes: "tapedeck" in ASCII.
const writeLock int64 = 0x7461706564656b

// write runs do in one transaction, alone among all that write, as in an embedded
// store: what changes a stream looks at several tables, and at other streams. It
// runs it again when the database asks for that.
func (d *database) write(ctx context.Context, do func(pgx.Tx) error) error {
	return d.alone(ctx, writeLock, do)
}

// alone runs do in one transaction, alone among all that take the lock.
func (d *database) alone(ctx context.Context, lock int64, do func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock); err != nil {
				return err
			}
			return do(tx)
		})
		if !again(err) || attempt == attempts {
			return lost(err)
		}
		wait := time.Duration(rand.Int64N(int64(5*time.Millisecond) << attempt))
		d.log.DebugContext(ctx, "postgres: a transaction is tried again", "attempt", attempt, "reason", err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// read runs do in a transaction that sees one state of the store.
func (d *database) read(ctx context.Context, do func(pgx.Tx) error) error {
	return lost(pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, do))
}

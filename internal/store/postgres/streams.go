package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const streamColumns = `stream.id, harness, key, parent_harness, parent_key, forked_harness, forked_key, version, records, derived,
	deriver, checkpoints, fresh_order, fresh_pos, fresh_key,
	EXISTS (SELECT FROM tapedeck.sibling WHERE sibling.stream = stream.id)`

// A storedStream is a stream with its number in the database.
type storedStream struct {
	id int64
	store.Stream
}

func scanStream(row pgx.CollectableRow) (storedStream, error) {
	var s storedStream
	var harness, key, parentHarness, parentKey, forkedHarness, forkedKey, freshKey []byte
	err := row.Scan(&s.id, &harness, &key, &parentHarness, &parentKey, &forkedHarness, &forkedKey, &s.Version, &s.Records, &s.Derived,
		&s.Deriver, &s.Checkpoints, &s.Fresh.Order, &s.Fresh.Pos, &freshKey, &s.Shared)
	s.Ref = session.Ref{Harness: string(harness), Key: string(key)}
	s.Facts = session.StreamFacts{Parent: refOf(parentHarness, parentKey), ForkedFrom: refOf(forkedHarness, forkedKey)}
	s.Fresh.Key = string(freshKey)
	return s, err
}

// refOf is the ref in two columns, nil where they are NULL.
func refOf(harness, key []byte) *session.Ref {
	if harness == nil {
		return nil
	}
	return &session.Ref{Harness: string(harness), Key: string(key)}
}

// selectStreams reads streams; tail joins, chooses, orders and limits them.
func selectStreams(ctx context.Context, tx pgx.Tx, tail string, args ...any) ([]storedStream, error) {
	rows, err := tx.Query(ctx, "SELECT "+streamColumns+" FROM tapedeck.stream "+tail, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanStream)
}

// listStreams is selectStreams in a transaction of its own.
func (s *Store) listStreams(ctx context.Context, tail string, args ...any) ([]store.Stream, error) {
	list := []store.Stream{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		streams, err := selectStreams(ctx, tx, tail, args...)
		for _, stream := range streams {
			list = append(list, stream.Stream)
		}
		return err
	})
	return list, err
}

// limited is a LIMIT clause, none for a limit below 1.
func limited(limit int) string {
	if limit < 1 {
		return ""
	}
	return fmt.Sprint(" LIMIT ", limit)
}

// Pending implements store.Log. Versions grow over all streams, so the least is
// that of the oldest change.
func (s *Store) Pending(ctx context.Context, deriver string, limit int) ([]store.Stream, error) {
	return s.listStreams(ctx, "WHERE records > 0 AND (derived <> version OR deriver <> $1) ORDER BY version, id"+limited(limit), session.Clean(deriver))
}

// Streams implements store.Log.
func (s *Store) Streams(ctx context.Context, after session.Ref, limit int) ([]store.Stream, error) {
	return s.listStreams(ctx, `WHERE (harness, substring(key FROM 1 FOR 500), key) > ($1::bytea, substring($2::bytea FROM 1 FOR 500), $2::bytea)
		ORDER BY harness, substring(key FROM 1 FOR 500), key`+limited(limit), []byte(after.Harness), []byte(after.Key))
}

// lockStream is the number of a stream that must still be as of says.
func lockStream(ctx context.Context, tx pgx.Tx, of store.Stream) (int64, error) {
	var id, version int64
	err := tx.QueryRow(ctx, "SELECT id, version FROM tapedeck.stream WHERE session_id = $1 FOR UPDATE", of.Ref.SessionID()).Scan(&id, &version)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && version != of.Version {
		return 0, fmt.Errorf("%s: %w", of.Ref, store.ErrChanged)
	}
	return id, err
}

// noteDerived notes that all of a stream was derived.
func noteDerived(ctx context.Context, tx pgx.Tx, stream int64, deriver string, checkpoints []byte) error {
	_, err := tx.Exec(ctx, `UPDATE tapedeck.stream SET derived = version, deriver = $2, checkpoints = $3,
		fresh_order = $4, fresh_pos = $5, fresh_key = $6 WHERE id = $1`,
		stream, session.Clean(deriver), checkpoints, store.AfterAll.Order, store.AfterAll.Pos, []byte(store.AfterAll.Key))
	return err
}

// Rederive implements store.Derived.
func (s *Store) Rederive(ctx context.Context, sessionID string) (int, error) {
	var marked int
	err := s.write(ctx, func(tx pgx.Tx) error {
		var where conditions
		where.add("records > 0")
		if sessionID != "" {
			stream, err := streamOf(ctx, tx, sessionID)
			if err != nil {
				return err
			}
			where.add("id = $", stream)
		}
		tag, err := tx.Exec(ctx, "UPDATE tapedeck.stream SET derived = 0, fresh_order = 0, fresh_pos = 0, fresh_key = ''"+where.sql(), where.args...)
		marked = int(tag.RowsAffected())
		return err
	})
	return marked, err
}

// streamOf is the number of the stream that a session was, or is to be, derived
// from.
func streamOf(ctx context.Context, tx pgx.Tx, sessionID string) (int64, error) {
	var stream int64
	id, err := resolve(ctx, tx, sessionID)
	if errors.Is(err, store.ErrNotFound) {
		err = tx.QueryRow(ctx, "SELECT id FROM tapedeck.stream WHERE session_id = $1", session.Clean(sessionID)).Scan(&stream)
		return stream, notFound(err, "session", sessionID)
	}
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, "SELECT stream FROM tapedeck.session WHERE id = $1", id).Scan(&stream)
	return stream, err
}

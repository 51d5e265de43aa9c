package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const (
	// shortest is the shortest beginning of an identifier that stands for it.
	shortest = 6
	// maxCandidates is how many sessions an AmbiguousError names.
	maxCandidates = 10
)

// resolve is the session_id that is meant: all of it, its beginning, or the
// harness' own identifier.
func resolve(ctx context.Context, tx pgx.Tx, id string) (string, error) {
	for _, meaning := range []struct {
		condition string
		least     int
	}{
		{"id = $", 1},
		{"id ^@ $", shortest},
		{"harness_session_id = $", 1},
	} {
		if len(id) < meaning.least {
			continue
		}
		var where conditions
		where.add(meaning.condition, clean(&id))
		rows, err := tx.Query(ctx, fmt.Sprint("SELECT id FROM tapedeck.session", where.sql(), " ORDER BY id LIMIT ", maxCandidates), where.args...)
		if err != nil {
			return "", err
		}
		candidates, err := pgx.CollectRows(rows, pgx.RowTo[string])
		switch {
		case err != nil:
			return "", err
		case len(candidates) == 1:
			return candidates[0], nil
		case len(candidates) > 1:
			return "", &store.AmbiguousError{ID: id, Candidates: candidates}
		}
	}
	return "", fmt.Errorf("session %.60q: %w", id, store.ErrNotFound)
}

// Session implements store.Reader.
func (s *Store) Session(ctx context.Context, id string) (session.Session, error) {
	var found session.Session
	err := s.read(ctx, func(tx pgx.Tx) error {
		full, err := resolve(ctx, tx, id)
		if err != nil {
			return err
		}
		found, err = selectSession(ctx, tx, full)
		return err
	})
	return found, err
}

// selectSession reads the session with this session_id.
func selectSession(ctx context.Context, tx pgx.Tx, id string) (session.Session, error) {
	var where conditions
	where.add("id = $", id)
	sessions, err := selectSessions(ctx, tx, where, "")
	if err != nil {
		return session.Session{}, err
	}
	if len(sessions) == 0 {
		return session.Session{}, fmt.Errorf("session %.60q: %w", id, store.ErrNotFound)
	}
	return sessions[0], nil
}

// Rename implements store.Reader.
func (s *Store) Rename(ctx context.Context, id, name string) (session.Session, error) {
	var renamed session.Session
	err := s.write(ctx, func(tx pgx.Tx) error {
		full, err := resolve(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := putName(ctx, tx, full, session.Clean(name)); err != nil {
			return err
		}
		renamed, err = selectSession(ctx, tx, full)
		return err
	})
	return renamed, err
}

// putName keeps the name for when the session is derived again, and shows it.
func putName(ctx context.Context, tx pgx.Tx, id, name string) error {
	var batch pgx.Batch
	batch.Queue("DELETE FROM tapedeck.display_name WHERE session_id = $1", id)
	if name != "" {
		batch.Queue("INSERT INTO tapedeck.display_name (session_id, name) VALUES ($1, $2)", id, name)
	}
	batch.Queue("UPDATE tapedeck.session SET display_name = $2, display_folded = $3 WHERE id = $1", id, name, folded(name))
	return tx.SendBatch(ctx, &batch).Close()
}

// notFound is err, with what was looked for where nothing was found.
func notFound(err error, what, id string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%s %.60q: %w", what, id, store.ErrNotFound)
	}
	return err
}

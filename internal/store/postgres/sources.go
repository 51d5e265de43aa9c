package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// noteSource notes how far a source was read, and whose records it has.
func noteSource(ctx context.Context, tx pgx.Tx, source *store.Source, portions []*portion) error {
	if source == nil {
		return nil
	}
	var id int64
	err := tx.QueryRow(ctx, `INSERT INTO tapedeck.source AS s
			(path, path_id, harness, size, mod_time, byte_offset, state, tail, complete, report)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (path_id) DO UPDATE SET (harness, size, mod_time, byte_offset, state, tail, complete, report) =
			ROW (excluded.harness, excluded.size, excluded.mod_time, excluded.byte_offset, excluded.state, excluded.tail,
				excluded.complete, excluded.report)
		RETURNING id`,
		[]byte(source.Path), [16]byte(digestOf(source.Path)), []byte(source.Harness), source.Size, source.ModTime, source.Offset,
		source.State, []byte(source.Tail), source.Complete, source.Report).Scan(&id)
	if err != nil {
		return err
	}
	sessions := make([]string, len(portions))
	for i, p := range portions {
		sessions[i] = p.sessionID
	}
	_, err = tx.Exec(ctx, `INSERT INTO tapedeck.source_stream (session_id, source) SELECT unnest($1::text[]), $2
		ON CONFLICT DO NOTHING`, sessions, id)
	return err
}

// Sources implements store.Log.
func (s *Store) Sources(ctx context.Context) (map[string]store.Source, error) {
	sources := map[string]store.Source{}
	rows, err := s.pool.Query(ctx, "SELECT path, harness, size, mod_time, byte_offset, state, tail, complete, report FROM tapedeck.source")
	if err != nil {
		return nil, lost(err)
	}
	for rows.Next() {
		var source store.Source
		var path, harness, tail []byte
		if err := rows.Scan(&path, &harness, &source.Size, &source.ModTime, &source.Offset, &source.State, &tail, &source.Complete, &source.Report); err != nil {
			rows.Close()
			return nil, err
		}
		source.Path, source.Harness, source.Tail = string(path), string(harness), string(tail)
		sources[source.Path] = source
	}
	return sources, lost(rows.Err())
}

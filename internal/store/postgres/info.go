package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// Info implements store.Store. Bytes is what tables and indices take.
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Kind: "postgres", Location: s.location, Server: s.server}
	err := s.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT
			(SELECT max(version) FROM tapedeck.migration),
			(SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relnamespace = 'tapedeck'::regnamespace AND relkind = 'r'),
			(SELECT count(*) FROM tapedeck.stream),
			(SELECT count(*) FROM tapedeck.record),
			(SELECT count(*) FROM tapedeck.session),
			(SELECT count(*) FROM tapedeck.stream WHERE records > 0 AND derived <> version),
			(SELECT count(*) FROM tapedeck.tombstone)`).
			Scan(&info.Schema, &info.Bytes, &info.Streams, &info.Records, &info.Sessions, &info.Pending, &info.Deleted)
	})
	return info, err
}

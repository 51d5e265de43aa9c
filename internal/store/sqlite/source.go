package sqlite

import (
	"context"

	"tapedeck/internal/store"
)

// Sources are the files that were read, by path.
func (s *Store) Sources(ctx context.Context) (map[string]store.Source, error) {
	sources := map[string]store.Source{}
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT path, harness, size, mod_time, offset, state, tail, complete, report FROM source", nil, func(r *row) error {
			f := store.Source{
				Path: r.text(), Harness: r.text(), Size: r.int(), ModTime: r.int(), Offset: r.int(),
				State: r.blob(), Tail: r.text(), Complete: r.bool(), Report: r.blob(),
			}
			sources[f.Path] = f
			return nil
		})
	})
	return sources, err
}

// source notes how far a file was read.
func (a *appender) source(f *store.Source) (err error) {
	if f == nil {
		return nil
	}
	a.sourceID, err = a.conn.number(`INSERT INTO source (path, harness, size, mod_time, offset, state, tail, complete, report) VALUES (?,?,?,?,?,?,?,?,?)
		ON CONFLICT (path) DO UPDATE SET harness = excluded.harness, size = excluded.size, mod_time = excluded.mod_time, offset = excluded.offset,
		state = excluded.state, tail = excluded.tail, complete = excluded.complete, report = excluded.report RETURNING id`,
		f.Path, f.Harness, f.Size, f.ModTime, f.Offset, f.State, f.Tail, f.Complete, f.Report)
	return err
}

// noteSource notes that the file has records of the stream, also of a deleted one.
func (a *appender) noteSource(st *streamState) error {
	if a.sourceID == 0 {
		return nil
	}
	_, err := a.conn.exec("INSERT OR IGNORE INTO source_stream (source, stream) VALUES (?, ?)", a.sourceID, st.id)
	return err
}

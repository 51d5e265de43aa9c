package sqlite

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/internal/store"
)

// remembered is how many entries of what is to be forgotten are kept.
const remembered = 20_000

// Generation makes or finds the generation of a model.
func (s *Store) Generation(ctx context.Context, provider, model string, width int) (g store.Generation, err error) {
	if width < 1 {
		return g, fmt.Errorf("vectors of %s/%s of width %d: it must be at least 1", provider, model, width)
	}
	err = s.write(ctx, func(c *conn) error {
		id, err := c.number("SELECT id FROM generation WHERE provider = ? AND model = ? AND width = ?", provider, model, width)
		if err == nil && id == 0 {
			id, err = c.number("INSERT INTO generation (provider, model, width, active) VALUES (?, ?, ?, 0) RETURNING id", provider, model, width)
			if err == nil {
				_, err = c.exec("INSERT INTO unembedded (generation, started, text) SELECT ?, started, id FROM indexed", id)
			}
		}
		if err != nil {
			return err
		}
		_, err = c.one(generationColumns+"WHERE g.id = ?", []any{id}, func(r *row) { g = scanGeneration(r) })
		return err
	})
	return g, err
}

const generationColumns = `SELECT g.id, g.provider, g.model, g.width, g.active,
	(SELECT count(*) FROM vector v WHERE v.generation = g.id), (SELECT count(*) FROM unembedded u WHERE u.generation = g.id),
	(SELECT coalesce(sum(chunks), 0) FROM vector v WHERE v.generation = g.id) FROM generation g `

func scanGeneration(r *row) store.Generation {
	return store.Generation{
		ID: r.int(), Provider: r.text(), Model: r.text(), Width: int(r.int()), Active: r.bool(), Texts: r.int(), Missing: r.int(), Vectors: r.int(),
	}
}

// Generations are all of them, in the order in which they were made.
func (s *Store) Generations(ctx context.Context) ([]store.Generation, error) {
	list := []store.Generation{}
	err := s.read(ctx, func(c *conn) error {
		return c.each(generationColumns+"ORDER BY g.id", nil, func(r *row) error {
			list = append(list, scanGeneration(r))
			return nil
		})
	})
	return list, err
}

// Activate makes a generation the one that is searched.
func (s *Store) Activate(ctx context.Context, generation int64) error {
	return s.write(ctx, func(c *conn) error {
		if _, err := c.width(generation); err != nil {
			return err
		}
		for _, statement := range []string{
			"DELETE FROM vector WHERE generation <> ?", "DELETE FROM unembedded WHERE generation <> ?", "DELETE FROM generation WHERE id <> ?",
			"UPDATE generation SET active = 1 WHERE id = ?",
		} {
			if _, err := c.exec(statement, generation); err != nil {
				return err
			}
		}
		return nil
	})
}

// width is how wide a generation's vectors are.
func (c *conn) width(generation int64) (int, error) {
	width, err := c.number("SELECT width FROM generation WHERE id = ?", generation)
	if err == nil && width == 0 {
		err = fmt.Errorf("generation %d of vectors: %w", generation, store.ErrNotFound)
	}
	return int(width), err
}

// Missing are texts that have no vectors in the generation.
func (s *Store) Missing(ctx context.Context, generation int64, skip []string, limit int) ([]store.HashedText, error) {
	list := []store.HashedText{}
	skipped := make(map[string]bool, len(skip))
	for _, hash := range skip {
		skipped[hash] = true
	}
	err := s.read(ctx, func(c *conn) error {
		if _, err := c.width(generation); err != nil || limit < 1 {
			return err
		}
		err := c.each(`SELECT x.hash, x.data FROM unembedded u CROSS JOIN indexed x ON x.id = u.text WHERE u.generation = ? ORDER BY u.started DESC, u.text DESC`,
			[]any{generation}, func(r *row) error {
				hash := r.hash()
				if skipped[hash] {
					return nil
				}
				text, err := unpackText(r.blob())
				if err != nil {
					return err
				}
				if list = append(list, store.HashedText{Hash: hash, Text: text}); len(list) == limit {
					return errEnough
				}
				return nil
			})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	return list, err
}

// PutVectors stores the vectors of texts.
func (s *Store) PutVectors(ctx context.Context, generation int64, vectors []store.HashVectors) error {
	return s.write(ctx, func(c *conn) error {
		width, err := c.width(generation)
		if err != nil {
			return err
		}
		for _, v := range vectors {
			if err := c.putVectors(generation, width, v); err != nil {
				return fmt.Errorf("vectors of text %s: %w", v.Hash, err)
			}
		}
		return nil
	})
}

func (c *conn) putVectors(generation int64, width int, v store.HashVectors) error {
	data := []byte{}
	for _, chunk := range v.Chunks {
		var err error
		if len(chunk.Vector) != width {
			return fmt.Errorf("a vector has width %d, the generation %d", len(chunk.Vector), width)
		}
		if data, err = appendChunk(data, chunk); err != nil {
			return err
		}
	}
	var text, started int64
	known, err := c.one("SELECT id, started FROM indexed WHERE hash = ?", []any{packHash(v.Hash)}, func(r *row) { text, started = r.int(), r.int() })
	if !known || err != nil {
		return err
	}
	if _, err := c.exec("DELETE FROM unembedded WHERE generation = ? AND started = ? AND text = ?", generation, started, text); err != nil {
		return err
	}
	_, err = c.exec("REPLACE INTO vector (generation, text, chunks, data) VALUES (?, ?, ?, ?)", generation, text, len(v.Chunks), data)
	return err
}

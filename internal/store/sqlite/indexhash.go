package sqlite

import (
	"context"
	"encoding/hex"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

var _ store.Documents = (*Store)(nil)

// Identity tells this store from others.
func (s *Store) Identity(ctx context.Context) (identity string, err error) {
	err = s.read(ctx, func(c *conn) error {
		_, err := c.one("SELECT identity FROM index_state", nil, func(r *row) { identity = hex.EncodeToString(r.blob()) })
		return err
	})
	return identity, err
}

// Followed is up to which change documents were made.
func (s *Store) Followed(ctx context.Context) (seq int64, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		seq, err = c.number("SELECT followed FROM index_state")
		return err
	})
	return seq, err
}

// TraceTexts are the texts of all documents of traces.
func (s *Store) TraceTexts(ctx context.Context, traceIDs []string) ([]store.TraceText, error) {
	list := []store.TraceText{}
	err := s.read(ctx, func(c *conn) error {
		for _, id := range traceIDs {
			err := c.each(`SELECT s.sid, x.hash, d.started FROM document d CROSS JOIN session s ON s.id = d.session CROSS JOIN indexed x ON x.id = d.text
				WHERE d.trace = ?`, []any{packIdent(id)}, func(r *row) error {
				list = append(list, store.TraceText{TraceID: id, SessionID: r.text(), Hash: r.hash(), StartedAt: session.Time(r.int())})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// TextsByHash are texts by their hash.
func (s *Store) TextsByHash(ctx context.Context, hashes []string) (map[string]string, error) {
	texts := make(map[string]string, len(hashes))
	err := s.read(ctx, func(c *conn) error {
		for _, hash := range hashes {
			err := c.each("SELECT data FROM indexed WHERE hash = ?", []any{packHash(hash)}, func(r *row) error {
				text, err := unpackText(r.blob())
				texts[hash] = text
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return texts, err
}

const fromDocuments = " FROM document d CROSS JOIN session s ON s.id = d.session"

// ChosenHashes are those of documents that a filter chooses, unless they are many.
func (s *Store) ChosenHashes(ctx context.Context, f store.IndexFilter, limit int) (hashes []string, many bool, err error) {
	hashes = []string{}
	chosen, err := chosenDocuments(f)
	if err != nil {
		return hashes, false, err
	}
	from := chosenTexts
	if f.SessionID == "" && f.Project == "" && f.Harness == "" {
		from = "SELECT d.text" + fromDocuments
	}
	err = s.read(ctx, func(c *conn) error {
		n, err := c.number("SELECT count(*) FROM ("+from+chosen.where()+" LIMIT ?)", append(chosen.args[:len(chosen.args):len(chosen.args)], limit+1)...)
		if many = int(n) > limit; many || err != nil {
			return err
		}
		return c.each("SELECT hash FROM indexed WHERE id IN ("+from+chosen.where()+")", chosen.args, func(r *row) error {
			hashes = append(hashes, r.hash())
			return nil
		})
	})
	return hashes, many, err
}

// ChosenHits are the documents with texts that a filter chooses.
func (s *Store) ChosenHits(ctx context.Context, hashes []string, f store.IndexFilter) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	chosen, err := chosenDocuments(f)
	if err != nil {
		return hits, err
	}
	chosen.add("d.text = (SELECT id FROM indexed WHERE hash = ?)")
	err = s.read(ctx, func(c *conn) error {
		for _, hash := range hashes {
			var found []foundDocument
			err := c.each("SELECT d.id"+fromDocuments+chosen.where(), append(chosen.args[:len(chosen.args):len(chosen.args)], packHash(hash)), func(r *row) error {
				found = append(found, foundDocument{id: r.int()})
				return nil
			})
			if err != nil {
				return err
			}
			of, err := c.hits(found)
			if err != nil {
				return err
			}
			hits = append(hits, of...)
		}
		return nil
	})
	return hits, err
}

// DropGenerations drops all vectors.
func (s *Store) DropGenerations(ctx context.Context) error {
	return s.write(ctx, func(c *conn) error {
		for _, table := range []string{"vector", "unembedded", "generation"} {
			if _, err := c.exec("DELETE FROM " + table); err != nil {
				return err
			}
		}
		return nil
	})
}

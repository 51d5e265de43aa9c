package sqlite

import (
	"maps"
	"slices"
)

// removal removes documents, and the texts that no document has any more.
type removal struct {
	conn  *conn
	freed map[int64]bool // texts that lost a document
}

func newRemoval(c *conn) *removal { return &removal{conn: c, freed: map[int64]bool{}} }

// documents removes those whose id and text a query gives.
func (r *removal) documents(query string) error {
	type pair struct{ id, text int64 }
	var list []pair
	err := r.conn.each(query, nil, func(row *row) error {
		list = append(list, pair{row.int(), row.int()})
		return nil
	})
	for _, p := range list {
		if err == nil {
			err = r.document(p.id, p.text)
		}
	}
	return err
}

func (r *removal) document(id, text int64) error {
	r.freed[text] = true
	_, err := r.conn.exec("DELETE FROM document WHERE id = ?", id)
	return err
}

// texts removes those that no document has, with their words and vectors. It comes
// last: what replaces a document may have the same text. First go all words, for the
// same reason as in putWords.
func (r *removal) texts() error {
	var gone []int64
	for _, id := range slices.Sorted(maps.Keys(r.freed)) {
		removed, err := r.words(id)
		if err != nil {
			return err
		}
		if removed {
			gone = append(gone, id)
		}
	}
	for _, id := range gone {
		if _, err := r.conn.exec("DELETE FROM indexed WHERE id = ?", id); err != nil {
			return err
		}
	}
	clear(r.freed)
	return nil
}

// words removes the words of a text if no document has it. They are found by what
// they were made from: innerWords must stay as it is, or a migration must make all
// words anew.
func (r *removal) words(id int64) (bool, error) {
	var data []byte
	found, err := r.conn.one("SELECT data FROM indexed x WHERE id = ? AND NOT EXISTS (SELECT 1 FROM document WHERE text = x.id)", []any{id},
		func(row *row) { data = row.blob() })
	if !found || err != nil {
		return false, err
	}
	text, err := unpackText(data)
	if err != nil {
		return false, err
	}
	_, err = r.conn.exec("INSERT INTO words (words, rowid, text, parts) VALUES ('delete', ?, ?, ?)", id, text, innerWords(text))
	return true, err
}

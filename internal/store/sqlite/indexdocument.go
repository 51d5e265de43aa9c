package sqlite

import (
	"context"
	"fmt"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// PutDocuments replaces the documents of traces.
func (s *Store) PutDocuments(ctx context.Context, upTo int64, traces []store.TraceDocuments) error {
	return s.write(ctx, func(c *conn) error {
		followed, err := c.number("SELECT followed FROM index_state")
		if err != nil {
			return err
		}
		w := documentWriter{conn: c, removal: newRemoval(c)}
		for _, t := range traces {
			seq, err := c.number("SELECT seq FROM trace_change WHERE ident = ?", packIdent(t.TraceID))
			if err != nil {
				return err
			}
			if upTo < seq && seq <= followed {
				continue
			}
			if err := w.trace(t); err != nil {
				return fmt.Errorf("documents of trace %s: %w", t.TraceID, err)
			}
		}
		if err := w.putWords(); err != nil {
			return err
		}
		if err := w.removal.texts(); err != nil {
			return err
		}
		if _, err := c.exec("DELETE FROM forgotten WHERE id <= (SELECT max(id) FROM forgotten) - ?", remembered); err != nil {
			return err
		}
		_, err = c.exec("UPDATE index_state SET followed = max(followed, ?)", upTo)
		return err
	})
}

// documentWriter replaces documents.
type documentWriter struct {
	conn    *conn
	removal *removal
	words   []newText
}

// newText is a text that is not in full text yet.
type newText struct {
	id   int64
	text string
}

// documentRow is what a document takes from its span, trace and session.
type documentRow struct {
	session int64
	kind    string
	model   string
	started int64
}

// freshDocument is one to add.
type freshDocument struct {
	store.IndexDocument
	documentRow
}

// keptDocument is a document that is there.
type keptDocument struct {
	documentRow
	id, text int64
	hash     string
}

// trace replaces the documents of one trace. Those that stay as they are keep their
// row, so that whoever has them in memory need not forget them.
func (w *documentWriter) trace(t store.TraceDocuments) error {
	rows, err := w.rows(t)
	if err != nil {
		return err
	}
	there, err := w.there(t.TraceID)
	if err != nil {
		return err
	}
	done := map[string]bool{} // one document a span
	var fresh []freshDocument
	for _, d := range t.Documents {
		row, known := rows[d.SpanID]
		switch {
		case d.Hash == "":
			return fmt.Errorf("the document of span %s has no hash", d.SpanID)
		case !known || done[d.SpanID]:
			continue
		}
		done[d.SpanID] = true
		if old, ok := there[d.SpanID]; ok && old.documentRow == row && old.hash == d.Hash {
			delete(there, d.SpanID)
			continue
		}
		fresh = append(fresh, freshDocument{d, row})
	}
	for _, old := range there {
		if err := w.removal.document(old.id, old.text); err != nil {
			return err
		}
	}
	for _, d := range fresh {
		if err := w.add(t.TraceID, d); err != nil {
			return err
		}
	}
	return nil
}

// rows are those of the trace's spans that documents are of.
func (w *documentWriter) rows(t store.TraceDocuments) (map[string]documentRow, error) {
	rows := make(map[string]documentRow, len(t.Documents))
	for _, d := range t.Documents {
		err := w.conn.each(`SELECT t.session, p.kind, p.model, p.started, t.models FROM span p CROSS JOIN trace t ON t.id = p.trace
			WHERE p.ident = ? AND t.ident = ?`, []any{packIdent(d.SpanID), packIdent(t.TraceID)}, func(r *row) error {
			row := documentRow{session: r.int(), kind: r.text(), model: r.text(), started: r.int()}
			var models []string
			err := r.json(&models)
			if row.kind == string(session.KindTool) && len(models) > 0 {
				row.model = models[0]
			}
			rows[d.SpanID] = row
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// there are the trace's documents, by span.
func (w *documentWriter) there(traceID string) (map[string]keptDocument, error) {
	there := map[string]keptDocument{}
	err := w.conn.each(`SELECT d.span, d.id, d.text, x.hash, d.session, d.kind, d.model, d.started
		FROM document d JOIN indexed x ON x.id = d.text WHERE d.trace = ?`, []any{packIdent(traceID)}, func(r *row) error {
		span := r.ident()
		old := keptDocument{id: r.int(), text: r.int(), hash: r.hash()}
		old.documentRow = documentRow{session: r.int(), kind: r.text(), model: r.text(), started: r.int()}
		there[span] = old
		return nil
	})
	return there, err
}

// add adds a document, and its text if no other document has it.
func (w *documentWriter) add(traceID string, d freshDocument) error {
	text, err := w.conn.number("SELECT id FROM indexed WHERE hash = ?", packHash(d.Hash))
	if err == nil && text == 0 {
		text, err = w.addText(d)
	}
	if err != nil {
		return err
	}
	_, err = w.conn.exec("INSERT INTO document (span, trace, session, text, kind, model, fold, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		packIdent(d.SpanID), packIdent(traceID), d.session, text, d.kind, d.model, store.Fold(d.model), d.started)
	return err
}

func (w *documentWriter) addText(d freshDocument) (int64, error) {
	data, err := packText(d.Text)
	if err != nil {
		return 0, err
	}
	id, err := w.conn.number("INSERT INTO indexed (hash, started, data) VALUES (?, ?, ?) RETURNING id", packHash(d.Hash), d.started, data)
	if err != nil {
		return 0, err
	}
	w.words = append(w.words, newText{id, d.Text})
	_, err = w.conn.exec("INSERT INTO unembedded (generation, started, text) SELECT id, ?, ? FROM generation", d.started, id)
	return id, err
}

// putWords puts the new texts' words, one text after the other: FTS5 writes what it
// has gathered before any statement that may have to be undone.
func (w *documentWriter) putWords() error {
	for _, t := range w.words {
		if _, err := w.conn.exec("INSERT INTO words (rowid, text, parts) VALUES (?, ?, ?)", t.id, t.text, innerWords(t.text)); err != nil {
			return err
		}
	}
	return nil
}

// Texts are the documents' texts.
func (s *Store) Texts(ctx context.Context, spanIDs []string) (map[string]string, error) {
	texts := make(map[string]string, len(spanIDs))
	err := s.read(ctx, func(c *conn) error {
		for _, id := range spanIDs {
			if _, done := texts[id]; done || id == "" {
				continue
			}
			err := c.each("SELECT x.data FROM document d JOIN indexed x ON x.id = d.text WHERE d.span = ? LIMIT 1", []any{packIdent(id)}, func(r *row) error {
				text, err := unpackText(r.blob())
				texts[id] = text
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

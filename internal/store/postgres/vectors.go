package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// Vectors are those of documents that lie in another database, of whichever kind.
// They have a schema of their own, which is named by the documents' identity, so
// that one database may keep the vectors of several stores. Of the documents it
// knows which traces have which texts, by their hash, and follows their changes;
// what filters choose it asks the documents.
//
// The database need not answer when Vectors are opened: each method connects by
// itself, and until then returns a store.ErrUnavailable that says why.
type Vectors struct {
	*database
	vectorTables
	documents store.Documents

	mu       sync.Mutex // never held while a database is asked: searches go on while others wait
	prepared bool

	following sync.Mutex // held while it follows
	checked   int64      // Followed of the documents when it was last looked whether all are there; -1: never
}

var _ store.DistantVectors = (*Vectors)(nil)

// OpenVectors opens the vectors of documents in the database that a DSN names, in
// the forms that Open takes. It fails for a DSN that can't be read only.
func OpenVectors(ctx context.Context, dsn string, documents store.Documents, log *slog.Logger) (*Vectors, error) {
	d, err := newDatabase(ctx, dsn, log)
	if err != nil {
		return nil, err
	}
	return &Vectors{database: d, vectorTables: vectorTables{db: d}, documents: documents, checked: -1}, nil
}

// Location implements store.DistantVectors.
func (v *Vectors) Location() string { return v.location }

// ready makes the schema if need be. Several may do so at once: see migrate.
func (v *Vectors) ready(ctx context.Context) error {
	if v.isPrepared() {
		return nil
	}
	identity, err := v.documents.Identity(ctx)
	if err != nil {
		return err
	}
	if _, err := v.checkServer(ctx); err != nil {
		return unavailable(v.config, err)
	}
	of := schema{name: "tapedeck_vectors_" + identity, migrations: "migrations/distant/*.sql"}
	if err := v.migrate(ctx, of); err != nil {
		return unavailable(v.config, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.prepared { // others may read the name already
		v.schema, v.prepared = of.name, true
	}
	return nil
}

func (v *Vectors) isPrepared() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.prepared
}

// Generation implements store.VectorIndex.
func (v *Vectors) Generation(ctx context.Context, provider, model string, width int) (store.Generation, error) {
	if err := v.Follow(ctx); err != nil {
		return store.Generation{}, err
	}
	return v.vectorTables.Generation(ctx, provider, model, width)
}

// Generations implements store.VectorIndex.
func (v *Vectors) Generations(ctx context.Context) ([]store.Generation, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	return v.vectorTables.Generations(ctx)
}

// Activate implements store.VectorIndex. The generations beside the documents, which
// were searched before the vectors came to lie here, are dropped with the others.
func (v *Vectors) Activate(ctx context.Context, id int64) error {
	if err := v.ready(ctx); err != nil {
		return err
	}
	// These first: what is active is not activated again, should they stay.
	if err := v.documents.DropGenerations(ctx); err != nil {
		return err
	}
	return v.vectorTables.Activate(ctx, id)
}

// PutVectors implements store.VectorIndex.
func (v *Vectors) PutVectors(ctx context.Context, id int64, vectors []store.HashVectors) error {
	if err := v.ready(ctx); err != nil {
		return err
	}
	return v.vectorTables.PutVectors(ctx, id, vectors)
}

// Missing implements store.VectorIndex.
func (v *Vectors) Missing(ctx context.Context, id int64, skip []string, limit int) ([]store.HashedText, error) {
	if err := v.Follow(ctx); err != nil {
		return nil, err
	}
	hashes, err := v.missing(ctx, id, skip, limit)
	if err != nil {
		return nil, err
	}
	texts, err := v.documents.TextsByHash(ctx, hashes)
	if err != nil {
		return nil, err
	}
	list := make([]store.HashedText, 0, len(hashes))
	for _, hash := range hashes {
		if text, there := texts[hash]; there {
			list = append(list, store.HashedText{Hash: hash, Text: text})
		}
	}
	return list, nil
}

// missing are the hashes of texts without vectors.
func (v *Vectors) missing(ctx context.Context, id int64, skip []string, limit int) (hashes []string, err error) {
	var g generation
	if skip == nil {
		skip = []string{}
	}
	err = v.read(ctx, func(tx pgx.Tx) error {
		if g, err = v.openGeneration(ctx, tx, id); err != nil || limit < 1 {
			return err
		}
		rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT hash FROM %[1]s.unembedded u JOIN %[1]s.document_text x ON x.num = u.text
			WHERE u.generation = $1 AND hash <> ALL($2) ORDER BY u.started_at DESC, u.text DESC LIMIT $3`, v.schema), id, skip, limit)
		if err != nil {
			return err
		}
		hashes, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err == nil && len(hashes) == 0 && limit > 0 && !g.graph {
		v.makeGraph(ctx, g)
	}
	return hashes, err
}

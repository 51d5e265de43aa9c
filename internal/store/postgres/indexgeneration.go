package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Widths that pgvector takes: with an index, and at all.
const (
	widestIndexed = 4000
	widest        = 16_000
)

// vectorTables are the generations of a schema, with their vectors: those beside the
// documents of a Store, and those of Vectors. Both schemas have tables generation,
// unembedded and document_text.
type vectorTables struct {
	db             *database
	schema         string
	graphNotBefore atomic.Int64 // see makeGraph
	shares         shares
}

// A generation is where its vectors are, and how they are kept.
type generation struct {
	id        int64
	width     int
	schema    string // of its tables
	extension string // the schema of pgvector, quoted
	graph     bool   // there is an HNSW index
}

// A generation's table, its index, the type of its vectors (two bytes a number: what
// is searched should fit into memory, and none is so exact), and pgvector's negative
// inner product, which orders vectors of length 1 as their cosine does.
func (g generation) name() string      { return "vector_" + strconv.FormatInt(g.id, 10) }
func (g generation) table() string     { return g.schema + "." + g.name() }
func (g generation) graphName() string { return g.name() + "_graph" }
func (g generation) column() string    { return g.extension + ".halfvec" }
func (g generation) operator() string  { return "OPERATOR(" + g.extension + ".<#>)" }

// Generation implements store.VectorIndex.
func (v *vectorTables) Generation(ctx context.Context, provider, model string, width int) (store.Generation, error) {
	if width < 1 || width > widest {
		return store.Generation{}, fmt.Errorf("vectors of %s/%s of width %d: pgvector takes 1 to %d", provider, model, width, widest)
	}
	provider, model = session.Clean(provider), session.Clean(model)
	var made store.Generation
	err := v.db.write(ctx, func(tx pgx.Tx) error {
		var id int64
		there, err := found(tx.QueryRow(ctx, "SELECT id FROM "+v.schema+".generation WHERE (provider, model, width) = ($1, $2, $3)", provider, model, width).Scan(&id))
		if err != nil {
			return err
		}
		if !there {
			if id, err = v.newGeneration(ctx, tx, provider, model, width); err != nil {
				return err
			}
		}
		list, err := v.generations(ctx, tx, "WHERE id = $1", id)
		if err == nil {
			made = list[0]
		}
		return err
	})
	return made, err
}

// newGeneration makes a generation, in which all texts are missing.
func (v *vectorTables) newGeneration(ctx context.Context, tx pgx.Tx, provider, model string, width int) (int64, error) {
	extension, err := v.extension(ctx, tx)
	if err != nil {
		return 0, err
	}
	g := generation{width: width, schema: v.schema, extension: extension}
	err = tx.QueryRow(ctx, "INSERT INTO "+v.schema+".generation (provider, model, width) VALUES ($1, $2, $3) RETURNING id", provider, model, width).Scan(&g.id)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %s (
			text      bigint NOT NULL REFERENCES %s.document_text ON DELETE CASCADE,
			start_at  int NOT NULL,
			end_at    int NOT NULL,
			embedding %s(%d) NOT NULL
		) WITH (toast_tuple_target = 8160)`, g.table(), g.schema, g.column(), width)) // rows stay whole as far as a page holds them
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf("CREATE INDEX ON %s (text)", g.table())); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO "+g.schema+".unembedded (generation, started_at, text) SELECT $1, started_at, num FROM "+g.schema+".document_text", g.id)
	return g.id, err
}

// Generations implements store.VectorIndex.
func (v *vectorTables) Generations(ctx context.Context) ([]store.Generation, error) {
	list := []store.Generation{}
	err := v.db.read(ctx, func(tx pgx.Tx) (err error) {
		list, err = v.generations(ctx, tx, "ORDER BY id")
		return err
	})
	return list, err
}

func (v *vectorTables) generations(ctx context.Context, tx pgx.Tx, tail string, args ...any) ([]store.Generation, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT id, provider, model, width, active, texts.n - missing.n, missing.n, 0::bigint
		FROM (SELECT count(*) AS n FROM %[1]s.document_text) texts, %[1]s.generation,
			LATERAL (SELECT count(*) AS n FROM %[1]s.unembedded WHERE generation = id) missing %[2]s`, v.schema, tail), args...)
	if err != nil {
		return nil, err
	}
	list, err := pgx.AppendRows([]store.Generation{}, rows, pgx.RowToStructByPos[store.Generation])
	for i := range list {
		if err == nil {
			err = tx.QueryRow(ctx, "SELECT count(*) FROM "+generation{id: list[i].ID, schema: v.schema}.table()).Scan(&list[i].Vectors)
		}
	}
	return list, err
}

// Activate implements store.VectorIndex.
func (v *vectorTables) Activate(ctx context.Context, id int64) error {
	return v.db.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE "+v.schema+".generation SET active = true WHERE id = $1", id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return noGeneration(id)
		}
		return v.drop(ctx, tx, "id <> $1", id)
	})
}

// drop drops generations, with their vectors.
func (v *vectorTables) drop(ctx context.Context, tx pgx.Tx, which string, args ...any) error {
	rows, err := tx.Query(ctx, "DELETE FROM "+v.schema+".generation WHERE "+which+" RETURNING id", args...)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, id := range ids {
		if err == nil {
			_, err = tx.Exec(ctx, "DROP TABLE "+generation{id: id, schema: v.schema}.table())
		}
	}
	return err
}

func noGeneration(id int64) error {
	return fmt.Errorf("generation %d of vectors: %w", id, store.ErrNotFound)
}

// openGeneration looks a generation up, and tells the connection how vectors are
// sent.
func (v *vectorTables) openGeneration(ctx context.Context, tx pgx.Tx, id int64) (generation, error) {
	g := generation{id: id, schema: v.schema}
	there, err := found(tx.QueryRow(ctx, `SELECT width, EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($2) AND indisvalid)
		FROM `+v.schema+`.generation WHERE id = $1`, id, v.schema+"."+g.graphName()).Scan(&g.width, &g.graph))
	if err != nil {
		return g, err
	}
	if !there {
		return g, noGeneration(id)
	}
	var oid uint32
	err = tx.QueryRow(ctx, `SELECT quote_ident(nspname), pg_type.oid FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
		JOIN pg_type ON typnamespace = extnamespace AND typname = 'halfvec' WHERE extname = 'vector'`).Scan(&g.extension, &oid)
	if errors.Is(err, pgx.ErrNoRows) {
		return g, fmt.Errorf("%w: the extension vector is gone", store.ErrNoVectors)
	}
	if err == nil {
		tx.Conn().TypeMap().RegisterType(&pgtype.Type{Name: "halfvec", OID: oid, Codec: pgtype.ByteaCodec{}})
	}
	return g, err
}

// oldestExtension is the first version that goes on searching until enough is found.
var oldestExtension = [2]int{0, 8}

// extension is the schema of pgvector, which is made if it can be.
func (v *vectorTables) extension(ctx context.Context, tx pgx.Tx) (string, error) {
	schema, err := findExtension(ctx, tx)
	if schema != "" || err != nil {
		return schema, err
	}
	// In a transaction of its own inside of this one: a failure must not end it.
	err = pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
		_, err := inner.Exec(ctx, "CREATE EXTENSION vector")
		return err
	})
	if err != nil {
		var refused *pgconn.PgError
		if !errors.As(err, &refused) {
			return "", err
		}
		advice := "have the database's owner or a superuser run CREATE EXTENSION vector in it once"
		if refused.Code == codeNotInstalled || refused.Code == codeNoFile {
			advice = "install pgvector 0.8 or newer on the server (https://github.com/pgvector/pgvector), which has none"
		}
		return "", fmt.Errorf("%w: %s: %w", store.ErrNoVectors, advice, err)
	}
	return findExtension(ctx, tx)
}

// findExtension is the schema of pgvector, quoted; "" where it is not.
func findExtension(ctx context.Context, tx pgx.Tx) (string, error) {
	var schema, version string
	there, err := found(tx.QueryRow(ctx, `SELECT quote_ident(nspname), extversion FROM pg_extension
		JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'`).Scan(&schema, &version))
	if err != nil || !there {
		return "", err
	}
	var is [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &is[0], &is[1]); err == nil && (is[0] < oldestExtension[0] || is[0] == oldestExtension[0] && is[1] < oldestExtension[1]) {
		return "", fmt.Errorf("%w: it has pgvector %s, %d.%d or newer is needed: install it and run ALTER EXTENSION vector UPDATE",
			store.ErrNoVectors, version, oldestExtension[0], oldestExtension[1])
	}
	return schema, nil
}

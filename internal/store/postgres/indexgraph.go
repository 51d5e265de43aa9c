package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// graphFrom is from how many vectors on an index is worth its while: fewer are
	// compared with a query in a few milliseconds.
	graphFrom = 10_000
	// graphPause is how long nothing is tried after an index could not be made.
	graphPause = 10 * time.Minute
	// graphPerVector is what a vector's place in the graph takes while it is built,
	// beside its two bytes a number: measured, 700 and some room.
	graphPerVector = 1000
	// leastMemory and mostMemory bound, in MB, what building may take: outside of
	// memory it takes far longer, and the server has other things to do.
	leastMemory, mostMemory = 256, 1024
	// graphLock is the advisory lock of whoever builds one.
	graphLock = writeLock + 2
)

// makeGraph makes the index of a generation that has enough vectors. It is built
// when they are all there, because that takes a tenth of the time of adding them
// one by one; later ones are added. Searches do without until then, and for good
// if it can't be made.
func (v *vectorTables) makeGraph(ctx context.Context, g generation) {
	if g.width > widestIndexed || time.Now().UnixNano() < v.graphNotBefore.Load() {
		return
	}
	if err := v.buildGraph(ctx, g); err != nil && ctx.Err() == nil {
		v.graphNotBefore.Store(time.Now().Add(graphPause).UnixNano())
		v.db.log.WarnContext(ctx, "postgres: the index of vectors could not be made: searches take longer", "error", err)
	}
}

func (v *vectorTables) buildGraph(ctx context.Context, g generation) error {
	conn, err := v.db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var vectors int
	var free bool
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM "+g.table()).Scan(&vectors); err != nil || vectors < graphFrom {
		return err
	}
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", graphLock).Scan(&free); err != nil || !free {
		return err
	}
	defer endGraph(conn)
	// One that was interrupted is there, but not valid.
	if _, err := conn.Exec(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+g.schema+"."+g.graphName()); err != nil {
		return err
	}
	memory := fmt.Sprint(min(max(leastMemory, vectors*(2*g.width+graphPerVector)>>20), mostMemory), "MB")
	_, err = conn.Exec(ctx, `SELECT set_config('maintenance_work_mem', $1, false)
		WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes($1)`, memory)
	if err != nil {
		return err
	}
	began := time.Now()
	_, err = conn.Exec(ctx, fmt.Sprintf("CREATE INDEX CONCURRENTLY %s ON %s USING hnsw (embedding %s.halfvec_ip_ops)", g.graphName(), g.table(), g.extension))
	if err != nil {
		return err
	}
	v.db.log.InfoContext(ctx, "postgres: the index of vectors was made", "generation", g.id, "took", time.Since(began).Round(time.Millisecond))
	return v.analyze(ctx, conn)
}

// analyze has the server look how much there is now: it does so by itself, but a
// minute or more later, and until then takes slow ways to what a filter keeps.
func (v *vectorTables) analyze(ctx context.Context, conn *pgxpool.Conn) error {
	var tables string
	err := conn.QueryRow(ctx, "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables WHERE schemaname = $1", v.schema).Scan(&tables)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ANALYZE "+tables)
	return err
}

// endGraph gives the connection back as it was.
func endGraph(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	_, failed := conn.Exec(ctx, "RESET maintenance_work_mem")
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", graphLock); err != nil || failed != nil {
		conn.Conn().Close(ctx)
	}
}

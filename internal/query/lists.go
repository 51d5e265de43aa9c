package query

import (
	"fmt"

	"tapedeck/internal/duckdb"
)

// lists are the engine's own as statements see them: what is loaded, once, under
// the names that statements use. The engine has each table twice, in its file and as the
// view that shows it; to callers the view is the table, and the files are none of their
// business. DuckDB makes SHOW, information_schema, pg_catalog and sqlite_master of
// these lists, so all of them agree. This is tidiness, no wall.
var lists = []struct{ name, rows string }{
	{"duckdb_tables", `FROM system.main.duckdb_tables() WHERE database_name = '` + database + `'
		UNION ALL BY NAME SELECT database_name, database_oid, schema_name, schema_oid, view_name AS table_name, view_oid AS table_oid, comment, tags,
			internal, temporary, false AS has_primary_key, column_count, 0 AS index_count, 0 AS check_constraint_count
		FROM system.main.duckdb_views() WHERE database_name = '` + database + `' AND NOT internal`},
	{"duckdb_views", `FROM system.main.duckdb_views() WHERE internal`},
	{"duckdb_columns", `FROM system.main.duckdb_columns() WHERE database_name = '` + database + `'`},
	{"duckdb_schemas", `FROM system.main.duckdb_schemas() WHERE database_name IN ('` + database + `', 'system')`},
	{"duckdb_databases", `FROM system.main.duckdb_databases() WHERE database_name = '` + database + `'`},
}

// makeLists puts the lists in front of the engine's.
func makeLists(conn *duckdb.Conn) error {
	for _, l := range lists {
		if err := conn.Exec("CREATE MACRO " + l.name + "() AS TABLE " + l.rows); err != nil {
			return fmt.Errorf("making the list %s: %w", l.name, err)
		}
	}
	return nil
}

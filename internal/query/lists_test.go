package query

import (
	"strings"
	"testing"
)

// However a caller asks what there is, each table is there once, under its own name, and
// the files behind it are not.
func TestListsShowWhatIsLoadedOnce(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	c.Views = append(c.Views, View{Name: "r1_imu", File: "file_1", Table: "imu"})
	for sql, want := range map[string]string{
		"SHOW TABLES":             `[["_recordings"],["imu"],["r1_imu"]]`,
		"SHOW TABLES FROM memory": `[["_recordings"],["imu"],["r1_imu"]]`,
		"SELECT database, name, column_names FROM (SHOW ALL TABLES) WHERE name <> '_recordings'": `[["memory","imu",["log_time","x","s"]],["memory","r1_imu",["log_time","x","s"]]]`,
		"SHOW DATABASES": `[["memory"]]`,
		"SHOW SCHEMAS":   `[["memory","main",true]]`,
		"SELECT table_name, column_count FROM duckdb_tables() ORDER BY ALL":                                                  `[["_recordings",7],["imu",3],["r1_imu",3]]`,
		"SELECT table_name FROM duckdb_tables ORDER BY ALL":                                                                  `[["_recordings"],["imu"],["r1_imu"]]`,
		"SELECT view_name FROM duckdb_views":                                                                                 `[]`,
		"SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables ORDER BY ALL":             `[["memory","main","_recordings","BASE TABLE"],["memory","main","imu","BASE TABLE"],["memory","main","r1_imu","BASE TABLE"]]`,
		"SELECT table_name, column_name, data_type FROM information_schema.columns WHERE column_name = 'x' ORDER BY ALL":     `[["imu","x","DECIMAL(21,1)"],["r1_imu","x","DECIMAL(21,1)"]]`,
		"SELECT name FROM sqlite_master ORDER BY ALL":                                                                        `[["_recordings"],["imu"],["r1_imu"]]`,
		"SELECT tablename, hasindexes FROM pg_tables ORDER BY ALL":                                                           `[["_recordings",false],["imu",false],["r1_imu",false]]`,
		"SELECT attname FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid WHERE relname = 'r1_imu' ORDER BY attnum": `[["log_time"],["x"],["s"]]`,
		"SELECT column_name FROM (DESCRIBE r1_imu)":                                                                          `[["log_time"],["x"],["s"]]`,
	} {
		if got := rowsOf(t, p, c, sql); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
	for _, sql := range []string{"SHOW ALL TABLES", "DESCRIBE", "SHOW SCHEMAS", "FROM duckdb_tables()", "FROM duckdb_views()", "FROM duckdb_columns()", "FROM duckdb_schemas()", "FROM sqlite_master", "FROM pg_views", "FROM information_schema.schemata", "FROM information_schema.views"} {
		if rows := rowsOf(t, p, c, sql); strings.Contains(rows, "file_1") {
			t.Errorf("%s shows the file behind a table: %s", sql, rows)
		}
	}
}

// A topic may be called as a schema or a database is.
func TestTablesMayBeNamedAsSchemas(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	names := []string{"tables", "columns", "information_schema", "memory", "main", "system"}
	for _, name := range names {
		c.Views = append(c.Views, View{Name: name, File: "file_1", Table: "imu"})
	}
	listed := rowsOf(t, p, c, "SHOW TABLES")
	for _, name := range names {
		if got := rowsOf(t, p, c, "SELECT count(*) FROM "+name); got != "[[1000]]" {
			t.Errorf("%s: got %s", name, got)
		}
		if !strings.Contains(listed, `["`+name+`"]`) {
			t.Errorf("%s is not in %s", name, listed)
		}
	}
	if got := rowsOf(t, p, c, "SELECT count(*) FROM information_schema.tables"); got != "[[8]]" {
		t.Errorf("information_schema.tables has %s", got)
	}
}

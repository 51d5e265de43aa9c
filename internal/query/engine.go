package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
)

const (
	database        = "memory" // DuckDB's name for the database that holds the views
	recordingsTable = "_recordings"
)

// setup is what a worker needs to know before its first statement.
type setup struct {
	Catalog        Catalog `json:"catalog"`
	AddressSpaceMB int     `json:"address_space_mb"`
	MemoryMB       int     `json:"memory_mb"`
	Threads        int     `json:"threads"`
	ExportPath     string  `json:"export_path,omitempty"` // the one file that may be written
}

// settings are the second wall, as far as it stands before the table files are attached.
func (s setup) settings() map[string]string {
	return map[string]string{
		"memory_limit":                 strconv.Itoa(s.MemoryMB) + "MiB",
		"threads":                      strconv.Itoa(s.Threads),
		"temp_directory":               "",
		"autoload_known_extensions":    "false",
		"autoinstall_known_extensions": "false",
		"allow_community_extensions":   "false",
		"allow_unsigned_extensions":    "false",
		"allow_persistent_secrets":     "false",
		"enable_external_file_cache":   "false",
	}
}

// openEngine opens a database in which the catalog's tables can be read and nothing else
// can be reached.
func openEngine(s setup) (*duckdb.DB, error) {
	db, err := duckdb.Open("", s.settings())
	if err != nil {
		return nil, err
	}
	if err := furnish(db, s); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func furnish(db *duckdb.DB, s setup) error {
	conn, err := db.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, f := range s.Catalog.Files {
		sql := "ATTACH " + duckdb.QuoteText(f.Path) + " AS " + decode.QuoteIdent(f.Name) + " (READ_ONLY)"
		if err := conn.Exec(sql); err != nil {
			return fmt.Errorf("attaching table file %s: %w", f.Name, err)
		}
	}
	if err := conn.Exec("BEGIN"); err != nil { // one transaction, for thousands of views take a third less time
		return err
	}
	if err := showTables(conn, s.Catalog); err != nil {
		return err
	}
	if err := conn.Exec("COMMIT"); err != nil {
		return err
	}
	return lock(conn, s)
}

// showTables makes the catalog's tables visible, and what is known of them.
func showTables(conn *duckdb.Conn, c Catalog) error {
	for _, v := range c.Views {
		sql := "CREATE VIEW " + decode.QuoteIdent(v.Name) + " AS FROM " + decode.QuoteIdent(v.File) + ".main." + decode.QuoteIdent(v.Table)
		if err := conn.Exec(sql); err != nil {
			return fmt.Errorf("making table %s visible: %w", v.Name, err)
		}
	}
	if err := conn.Exec(recordingsSQL(c.Recordings)); err != nil {
		return fmt.Errorf("listing recordings: %w", err)
	}
	return makeLists(conn)
}

// lock closes the second wall. The order matters: nothing can be set after the last.
func lock(conn *duckdb.Conn, s setup) error {
	locks := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL pivot_limit = " + strconv.Itoa(maxColumns),
	}
	if s.ExportPath != "" {
		locks = append(locks, "SET GLOBAL allowed_paths = ["+duckdb.QuoteText(s.ExportPath)+"]")
	}
	locks = append(locks, "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true")
	for _, sql := range locks {
		if err := conn.Exec(sql); err != nil {
			return fmt.Errorf("locking the configuration: %w", err)
		}
	}
	return nil
}

func recordingsSQL(recordings []Recording) string {
	var sql strings.Builder
	sql.WriteString("CREATE TABLE " + recordingsTable + " (alias VARCHAR, file_path VARCHAR, start_time UBIGINT, end_time UBIGINT, duration_s DOUBLE, message_count UBIGINT, channel_count INTEGER);")
	for _, r := range recordings {
		fmt.Fprintf(&sql, "INSERT INTO %s VALUES (%s, %s, %d, %d, %s, %d, %d);", recordingsTable,
			duckdb.QuoteText(r.Alias), duckdb.QuoteText(r.FilePath), r.StartTimeNS, r.EndTimeNS,
			strconv.FormatFloat(r.DurationS, 'e', -1, 64), r.MessageCount, r.ChannelCount)
	}
	return sql.String()
}

// scalarText executes a statement of our own with one text parameter and gives its only value.
func scalarText(conn *duckdb.Conn, sql, parameter string) (string, error) {
	statement, err := conn.Prepare(sql)
	if err != nil {
		return "", err
	}
	defer statement.Close()
	if err := statement.BindText(1, parameter); err != nil {
		return "", err
	}
	rows, err := statement.Stream(context.Background())
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", fmt.Errorf("no answer to %s: %w", sql, rows.Err())
	}
	row, _ := rows.AppendJSON(nil, maxTreeBytes, maxTreeBytes)
	var value [1]string
	if err := json.Unmarshal(row, &value); err != nil {
		return "", fmt.Errorf("reading the answer to %s: %w", sql, err)
	}
	return value[0], nil
}

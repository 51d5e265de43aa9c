package table

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/duckdb"
)

func TestTableNames(t *testing.T) {
	// In topic order, as plan gives them.
	got := tableNames([]string{"", "/", "/1st", "/IMU", "/_metadata", "/a-b", "/a/b", "/a_b", "/battery/status", "/duckdb_tables", "/imu", "/sensors/power", "/ü", "imu"})
	want := map[string]string{
		"": "unknown", "/": "unknown_2", "/1st": "_1st", "/IMU": "IMU", "/_metadata": "_metadata_2",
		"/a-b": "a_b", "/a/b": "a_b_2", "/a_b": "a_b_3", "/battery/status": "battery_status", "/duckdb_tables": "_duckdb_tables",
		"/imu": "imu_2", "/sensors/power": "sensors_power", "/ü": "_", "imu": "imu_3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAliases(t *testing.T) {
	if got := Aliased("r1", "imu"); got != "r1_imu" {
		t.Errorf("r1 and imu: %s", got)
	}
	if got := Aliased("r1", MetadataTable); got != "r1__metadata" {
		t.Errorf("r1 and _metadata: %s", got)
	}
	for alias, want := range map[string]bool{"r1": true, "_x": true, "": false, "1r": false, "a-b": false, `a"b`: false, "a b": false, "ä": false} {
		if got := ValidAlias(alias); got != want {
			t.Errorf("%q: %v", alias, got)
		}
	}
}

// Every keyword of the engine that can't name a table bare must be quoted, and
// no other.
func TestReservedWordsAreTheEngines(t *testing.T) {
	db, err := duckdb.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	words := keywords(t, conn)
	if len(words) < 300 {
		t.Fatalf("only %d keywords", len(words))
	}
	for _, word := range words {
		bare := conn.Exec("CREATE TABLE "+word+" (x INTEGER); FROM "+word) == nil
		if quoted := SQLName(word) != word; bare == quoted {
			t.Errorf("%s: names a table bare: %v, is quoted: %v", word, bare, quoted)
		}
		if err := conn.Exec("SELECT * FROM " + SQLName(word) + "; DROP TABLE " + SQLName(word)); bare && err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

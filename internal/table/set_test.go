package table

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fake is a load with tables and a size, which is all that a set looks at.
func fake(key string, mb int64, tables ...string) *Load {
	m := &Manifest{Start: 1e9, End: 3e9}
	for _, t := range tables {
		m.Tables = append(m.Tables, Table{Name: t, Topic: "/" + t})
	}
	return &Load{Key: key, Tables: key + ".duckdb", Bytes: mb << 20, Manifest: m}
}

func viewNames(c Catalog) []string {
	var names []string
	for _, v := range c.Views {
		names = append(names, v.Name+" of "+v.File+"."+v.Table)
	}
	return names
}

func TestAliasesStandInFrontOfEveryTable(t *testing.T) {
	s := NewSet(100)
	added := s.Add(fake("k", 1, "imu", "battery_status"), "r1", "a.mcap")
	if _, ok := added.Tables["r1_imu"]; !ok || len(added.Tables) != 2 {
		t.Errorf("tables %v", added.Tables)
	}
	want := []string{"r1__metadata of load_0._metadata", "r1_battery_status of load_0.battery_status", "r1_imu of load_0.imu"}
	if diff := cmp.Diff(want, viewNames(s.Catalog())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := s.Catalog().Recordings; len(r) != 1 || r[0].Alias != "r1" || r[0].DurationS != 2 {
		t.Errorf("recordings %v", r)
	}
}

func TestTwoFilesWithoutAliasClash(t *testing.T) {
	s := NewSet(100)
	s.Add(fake("a", 1, "imu", "gps"), "", "a.mcap")
	before := s.Catalog()
	added := s.Add(fake("b", 1, "IMU", "log"), "", "b.mcap")
	if diff := cmp.Diff([]string{"_metadata", "imu"}, added.Replaced); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	want := []string{"IMU of load_1.IMU", "_metadata of load_1._metadata", "gps of load_0.gps", "log of load_1.log"}
	if diff := cmp.Diff(want, viewNames(s.Catalog())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if before.Version == s.Catalog().Version {
		t.Error("the catalog's version did not change")
	}
}

func TestLoadingAFileAgainReplacesItsTables(t *testing.T) {
	s := NewSet(100)
	s.Add(fake("whole", 1, "imu", "gps"), "r1", "a.mcap")
	if added := s.Add(fake("window", 1, "imu"), "r1", "a.mcap"); len(added.Replaced) > 0 {
		t.Errorf("replaced %v: the same recording is no clash", added.Replaced)
	}
	want := []string{"r1__metadata of load_1._metadata", "r1_gps of load_0.gps", "r1_imu of load_1.imu"}
	if diff := cmp.Diff(want, viewNames(s.Catalog())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Add(fake("rest", 1, "gps"), "r1", "a.mcap")
	if n := len(s.Catalog().Recordings); n != 2 {
		t.Errorf("%d loads are kept; the first has no visible table", n)
	}
}

func TestOneLoadUnderTwoAliasesIsAttachedOnce(t *testing.T) {
	s := NewSet(100)
	load := fake("k", 4, "imu")
	s.Add(load, "a", "a.mcap")
	s.Add(load, "b", "a.mcap")
	want := []string{"a__metadata of load_0._metadata", "a_imu of load_0.imu", "b__metadata of load_0._metadata", "b_imu of load_0.imu"}
	if diff := cmp.Diff(want, viewNames(s.Catalog())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(s.Catalog().Files); n != 1 || s.AttachedMB() != 4 {
		t.Errorf("%d files, %v MB", n, s.AttachedMB())
	}
}

func TestTheBudgetDetachesWhatWasUsedLongestAgo(t *testing.T) {
	s := NewSet(10)
	s.Add(fake("a", 4, "a"), "", "a.mcap")
	s.Add(fake("b", 4, "b"), "", "b.mcap")
	s.Use([]string{"A"})
	added := s.Add(fake("c", 4, "c"), "", "c.mcap")
	if diff := cmp.Diff([]string{"b"}, added.Evicted); diff != "" {
		t.Errorf("evicted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"_metadata", "a", "b", "c"}, s.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if s.AttachedMB() != 8 || s.Attached("b") || !s.Attached("c") {
		t.Errorf("%v MB attached", s.AttachedMB())
	}
	before := s.Catalog().Version
	if c, ok := s.Attach([]string{"B"}); !ok || c.Version == before || !s.Attached("b") || s.AttachedMB() > 10 {
		t.Errorf("attaching b: %v, %v, %v MB attached", c, ok, s.AttachedMB())
	}
	before = s.Catalog().Version
	if c, ok := s.Attach([]string{"b"}); !ok || c.Version != before {
		t.Error("attaching what is attached changed the catalog: its workers would be replaced for nothing")
	}
	if _, ok := s.Attach([]string{"b", "never loaded"}); ok {
		t.Error("a table that was never loaded was attached")
	}
}

// One statement may need more than fits: it gets it, and the next pays.
func TestTablesOfOneStatementAreAttachedTogetherBeyondTheBudget(t *testing.T) {
	s := NewSet(10)
	for _, name := range []string{"a", "b", "c"} {
		s.Add(fake(name, 6, name), name, name+".mcap")
	}
	c, ok := s.Attach([]string{"a_a", "b__metadata"})
	if !ok || len(c.Files) != 2 || s.Attached("c") {
		t.Errorf("attached %v, want a and b", c.Files)
	}
	if added := s.Add(fake("d", 1, "d"), "d", "d.mcap"); len(added.Evicted) != 2 || s.AttachedMB() > 10 {
		t.Errorf("evicted %v, %v MB attached", added.Evicted, s.AttachedMB())
	}
}

// Metadata is a table like others: it must not change its owner, or vanish,
// because the owner was detached.
func TestMetadataIsThatOfTheLastLoadAlsoWhenDetached(t *testing.T) {
	s := NewSet(10)
	s.Add(fake("a", 4, "a"), "", "a.mcap")
	s.Add(fake("b", 4, "b"), "", "b.mcap")
	s.Use([]string{"a"})
	if added := s.Add(fake("c", 4, "c"), "x", "c.mcap"); !slices.Contains(added.Evicted, "_metadata") {
		t.Errorf("evicted %v, want b and its metadata", added.Evicted)
	}
	for _, v := range s.Catalog().Views {
		if v.Name == "_metadata" {
			t.Errorf("_metadata is that of %s", v.File)
		}
	}
	c, ok := s.Attach([]string{"_metadata"})
	i := slices.IndexFunc(c.Views, func(v View) bool { return v.Name == "_metadata" })
	if !ok || i < 0 || c.Views[i].File != "load_1" {
		t.Errorf("attached: %v", viewNames(c))
	}
}

// Names that differ in case only, or by an underscore that may belong to the
// alias or to the topic, are one name to DuckDB: a second view of it would keep
// every worker from starting.
func TestNoNameIsVisibleTwice(t *testing.T) {
	s := NewSet(100)
	s.Add(fake("a", 1, "imu", "r1__metadata"), "", "a.mcap")
	s.Add(fake("b", 1, "imu", "gps"), "R1", "b.mcap")
	s.Add(fake("c", 1, "imu"), "r1", "c.mcap")
	s.Add(fake("d", 1, "metadata"), "r1_", "d.mcap")
	seen := map[string]bool{}
	for _, v := range s.Catalog().Views {
		if name := strings.ToLower(v.Name); seen[name] {
			t.Errorf("%s is there twice: %v", v.Name, viewNames(s.Catalog()))
		} else {
			seen[name] = true
		}
	}
	if len(seen) != 6 { // _metadata, imu, r1_imu, R1_gps, r1__metadata, r1___metadata
		t.Errorf("visible: %v", viewNames(s.Catalog()))
	}
}

func TestLostFilesAreDetached(t *testing.T) {
	s := NewSet(100)
	kept, lost := fake("kept", 1, "k"), fake("lost", 1, "l")
	kept.Tables = filepath.Join(t.TempDir(), "tables")
	if err := os.WriteFile(kept.Tables, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Add(kept, "x", "k.mcap")
	s.Add(lost, "y", "l.mcap")
	if !s.DetachLost() || s.Attached("lost") || !s.Attached("kept") || s.DetachLost() {
		t.Errorf("attached: %v", viewNames(s.Catalog()))
	}
	if v, ok := s.Holder("Y_L"); !ok || !v.Lost() || v.Path != "l.mcap" {
		t.Errorf("holder %v", v)
	}
}

func TestALoadLargerThanTheBudgetStaysAlone(t *testing.T) {
	s := NewSet(10)
	s.Add(fake("a", 4, "a"), "", "a.mcap")
	if added := s.Add(fake("big", 40, "big"), "", "big.mcap"); len(added.Evicted) != 1 || s.AttachedMB() != 40 {
		t.Errorf("evicted %v, %v MB attached", added.Evicted, s.AttachedMB())
	}
}

func TestForget(t *testing.T) {
	s := NewSet(10)
	s.Add(fake("a", 1, "a"), "x", "a.mcap")
	if diff := cmp.Diff([]string{"x__metadata", "x_a"}, s.Forget("a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Names()) != 0 {
		t.Errorf("names %v", s.Names())
	}
}

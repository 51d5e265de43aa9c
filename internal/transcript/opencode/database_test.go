package opencode

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// schema has the columns of the harness' tables that matter here, and one that
// is not known.
const schema = `
PRAGMA journal_mode = WAL;
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL,
	title TEXT NOT NULL, version TEXT NOT NULL, cost REAL, hologram BLOB, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE todo (session_id TEXT, content TEXT);`

// A database is one that the harness has open.
type database struct {
	*sql.DB
	t    testing.TB
	path string
}

func newDatabase(t testing.TB, name string) database {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	d := database{db, t, path}
	d.exec(schema)
	return d
}

func (d database) exec(query string, values ...any) {
	d.t.Helper()
	if _, err := d.Exec(query, values...); err != nil {
		d.t.Fatal(err)
	}
}

func (d database) session(id, parent string, at int64) {
	d.t.Helper()
	var parentID any
	if parent != "" {
		parentID = parent
	}
	d.exec(`INSERT INTO session VALUES (?, 'p', ?, 'brave-fox', '/w', 'Fix it', '1.4.0', 0.5, x'00ff', ?, ?)`, id, parentID, at, at)
}

func (d database) message(id, owner string, at int64, data string) {
	d.t.Helper()
	d.exec(`INSERT INTO message VALUES (?, ?, ?, ?, ?)`, id, owner, at, at, data)
}

func (d database) part(id, message, owner string, at int64, data string) {
	d.t.Helper()
	d.exec(`INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)`, id, message, owner, at, at, data)
}

// conversation is a prompt and an answer that called a tool.
func (d database) conversation(owner string, at int64) {
	d.t.Helper()
	d.message("m1"+owner, owner, at, `{"role":"user","time":{"created":100}}`)
	d.part("p1"+owner, "m1"+owner, owner, at, `{"type":"text","text":"hi"}`)
	d.message("m2"+owner, owner, at+1, `{"role":"assistant","modelID":"gpt-x","providerID":"openai","time":{"created":101,"completed":110},"cost":0.25,"finish":"stop","tokens":{"input":5,"output":7,"reasoning":2,"cache":{"read":11,"write":3}}}`)
	d.part("p2"+owner, "m2"+owner, owner, at+1, `{"type":"step-start"}`)
	d.part("p3"+owner, "m2"+owner, owner, at+2, `{"type":"text","text":"looking","time":{"start":102,"end":103}}`)
	d.part("p4"+owner, "m2"+owner, owner, at+3, `{"type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","title":"ls","metadata":{"exit":0},"time":{"start":104,"end":109}}}`)
	d.part("p5"+owner, "m2"+owner, owner, at+4, `{"type":"step-finish","reason":"stop","cost":0.25,"tokens":{"input":5,"output":7,"reasoning":2,"cache":{"read":11,"write":3}}}`)
}

var conversation = []string{
	"typed: hi",
	`answer: looking | c=bash {"command":"ls"}`,
	"result c ok: a",
}

func own(key string) session.Ref { return session.Ref{Harness: "opencode", Key: key} }

func TestDatabase(t *testing.T) {
	d := newDatabase(t, "opencode.db") // open, with all in its write-ahead log
	d.session("s1", "", 1000)
	d.conversation("s1", 1000)
	d.session("s2", "s1", 2000)
	d.conversation("s2", 2000)
	if !New().Claims(&transcript.File{Path: d.path}) {
		t.Error("is not claimed")
	}
	s := newTape()
	readFrom(t, d.path, transcript.Cursor{}, s)

	es := interpret(t, s.Ordered(own("s1")))
	if diff := cmp.Diff(conversation, script(es)); diff != "" {
		t.Error(diff)
	}
	want := &session.Usage{InputTokens: 5, OutputTokens: 9, ReasoningTokens: 2, CacheReadTokens: 11, CacheWriteTokens: 3, Cost: session.Dollars(0.25)}
	answer := transcripttest.Of[*session.Answer](es)[0]
	if diff := cmp.Diff(want, answer.Usage); diff != "" {
		t.Error(diff)
	}
	if got := [3]string{answer.Model, answer.Provider, answer.StopReason}; got != [3]string{"gpt-x", "openai", "stop"} {
		t.Errorf("model, provider, stop reason %v", got)
	}
	if diff := cmp.Diff([]*session.Context{{Cwd: "/w", HarnessVersion: "1.4.0"}}, transcripttest.Of[*session.Context](es)); diff != "" {
		t.Error(diff)
	}
	if got := transcripttest.Of[*session.Title](es); len(got) != 1 || got[0].Text != "Fix it" {
		t.Errorf("titles %v", got)
	}
	child := script(interpret(t, s.Ordered(own("s2"))))
	if parent := s.Facts[own("s2")].Parent; parent == nil || *parent != own("s1") || child[0] != "delegated: hi" {
		t.Errorf("parent %v, first event %q", parent, child[0])
	}
}

func TestRowIsKept(t *testing.T) {
	d := newDatabase(t, "opencode.db")
	d.session("s1", "", 1000)
	const data = `{ "type":"text",  "text":"a\u0000\ud800é" }`
	d.part("p1", "m1", "s1", 1000, data)
	d.part("p2", "m1", "s1", 1000, `not JSON`)
	s := newTape()
	readFrom(t, d.path, transcript.Cursor{}, s)
	records := s.Records[own("s1")]
	want := `{"id":"p1","message_id":"m1","session_id":"s1","time_created":1000,"time_updated":1000,"data":` + data + `}`
	if diff := cmp.Diff(want, string(records["m1/p1"].Body)); diff != "" {
		t.Error(diff)
	}
	if body := string(records["m1/p2"].Body); !strings.HasSuffix(body, `"data":"not JSON"}`) {
		t.Errorf("a row whose data is no JSON became %s", body)
	}
	if body := string(records[keySession].Body); !strings.Contains(body, `"hologram":"AP8="`) {
		t.Errorf("a column that is not known is not in %s", body)
	}
}

func TestDatabaseThatChanges(t *testing.T) {
	d := newDatabase(t, "opencode.db")
	d.session("s1", "", 1000)
	d.conversation("s1", 1000)
	s := newTape()
	cursor := readFrom(t, d.path, transcript.Cursor{}, s)
	steps := []struct {
		name   string
		change func()
		most   int // records that are given again, or newly
	}{
		{"nothing", func() {}, 0},
		{"a part is edited", func() {
			d.exec(`UPDATE part SET data = json_set(data, '$.text', 'edited'), time_updated = 5000 WHERE id = 'p3s1'`)
		}, 2},
		{"a message comes", func() {
			d.message("m3", "s1", 6000, `{"role":"user"}`)
			d.part("p9", "m3", "s1", 6000, `{"type":"text","text":"more"}`)
		}, 4},
		{"old rows come, as from a backup", func() { d.message("m0", "s1", 50, `{"role":"user","summary":{"title":"first"}}`) }, 4},
		{"rows go", func() { d.exec(`DELETE FROM part WHERE id = 'p1s1'`) }, 1},
	}
	for _, step := range steps {
		step.change()
		before := s.Given
		cursor = readFrom(t, d.path, cursor, s)
		if given := s.Given - before; given > step.most {
			t.Errorf("%s: %d records were given, want at most %d", step.name, given, step.most)
		}
	}
	want := []string{"typed: first", "typed: hi", `answer: edited | c=bash {"command":"ls"}`, "result c ok: a", "typed: more"}
	if diff := cmp.Diff(want, script(interpret(t, s.Ordered(own("s1"))))); diff != "" {
		t.Error(diff)
	}
	fresh := newDatabase(t, "opencode.db")
	fresh.session("s9", "", 10)
	readFrom(t, fresh.path, cursor, s)
	if len(s.Records[own("s9")]) != 1 {
		t.Error("another database in the place of the first was not read")
	}
}

func TestDatabaseInAFolderThatMayNotBeWritten(t *testing.T) {
	d := newDatabase(t, "opencode.db")
	d.session("s1", "", 1000)
	d.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	body, err := os.ReadFile(d.path)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "locked")
	path := transcripttest.Save(t, dir, "opencode.db", string(body))
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	s := newTape()
	readFrom(t, path, transcript.Cursor{}, s)
	if len(s.Records[own("s1")]) != 1 {
		t.Error("the session is not there")
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(body) {
		t.Errorf("the database was changed (%v)", err)
	}
}

func TestForeignDatabases(t *testing.T) {
	tests := map[string]struct {
		name, query string
		fails       bool
	}{
		"no tables":        {"opencode.db", "", false},
		"other columns":    {"opencode.db", "CREATE TABLE session (id TEXT)", true},
		"rows without ids": {"opencode.db", "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data); INSERT INTO part VALUES (NULL, NULL, NULL, 'x', 1, 5)", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.name)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("CREATE TABLE other (x);" + test.query); err != nil {
				t.Fatal(err)
			}
			_, err = New().Read(t.Context(), &transcript.File{Path: path}, transcript.Cursor{}, newTape())
			if (err != nil) != test.fails {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestKilo(t *testing.T) {
	d := newDatabase(t, "kilo.db")
	d.session("s1", "", 1000)
	file := &transcript.File{Path: d.path}
	if New().Claims(file) || !NewKilo().Claims(file) {
		t.Error("is not claimed by Kilo's importer alone")
	}
	s := newTape()
	if _, err := NewKilo().Read(t.Context(), file, transcript.Cursor{}, s); err != nil {
		t.Fatal(err)
	}
	if ref := s.only(t); ref.Harness != "kilo" {
		t.Errorf("harness %s", ref.Harness)
	}
	tree := &transcript.File{Path: transcripttest.Save(t, t.TempDir(), "kilo/storage/session/p/s1.json", `{"id":"s1","title":"x","time":{"created":1}}`)}
	if New().Claims(tree) || !NewKilo().Claims(tree) {
		t.Error("a file of its tree is not claimed by Kilo's importer alone")
	}
}

func BenchmarkDatabase(b *testing.B) {
	d := newDatabase(b, "opencode.db")
	d.session("s1", "", 1000)
	tx, err := d.Begin()
	if err != nil {
		b.Fatal(err)
	}
	data := `{"type":"text","text":"` + strings.Repeat("word ", 200) + `"}`
	const parts = 20_000
	for n := range parts {
		if _, err := tx.Exec(`INSERT INTO part VALUES (?, 'm', 's1', ?, ?, ?)`, fmt.Sprint("p", n), n, n, data); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(parts * int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		readFrom(b, d.path, transcript.Cursor{}, discard{})
	}
}

type discard struct{}

func (discard) Stream(session.Ref, session.StreamFacts) error { return nil }
func (discard) Record(session.Ref, session.Record) error      { return nil }
func (discard) Lost(int64, string)                            {}
func (discard) Unknown(string)                                {}
func (discard) Cut(int64)                                     {}

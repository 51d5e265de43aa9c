package cli

import (
	"strings"
	"testing"

	"tapedeck/internal/archive"
	"tapedeck/internal/store"
)

func TestStoreInfo(t *testing.T) {
	f := &fakeArchive{info: &store.Info{Kind: "sqlite", Location: "/data/tapes.db", Server: "3.50", Schema: 1, Bytes: 5 << 20, Records: 1234}}
	runWithArchive(t, f.opened, "store", "info").check(t, exitOK, strings.TrimPrefix(`
STORE          sqlite
location       /data/tapes.db
engine         3.50
schema         1
size           5.0 MB
sessions       0
streams        0
raw records    1,234
to be derived  0
deleted        0
`, "\n"), "")
}

func TestStoreCheck(t *testing.T) {
	f := &fakeArchive{checked: &archive.CheckResult{Sound: true, Info: store.Info{Sessions: 1, Records: 2}}}
	runWithArchive(t, f.opened, "store", "check").check(t, exitOK, "", "tapedeck: the store is sound: 1 session, 2 raw records\n")
	f.checked = &archive.CheckResult{Problems: []store.Problem{{Where: "records 7", What: "the hash differs"}}}
	runWithArchive(t, f.opened, "store", "check").check(t, exitFailed,
		"WHERE      WHAT\nrecords 7  the hash differs\n", "tapedeck: the store is not sound: 1 problem\n")
}

func TestStoreMigrate(t *testing.T) {
	f := &fakeArchive{info: &store.Info{Kind: "postgres", Location: "postgres://db/tapes", Schema: 3}}
	o := runWithArchive(t, f.opened, "store", "migrate", "--postgres", "postgres://ada:s3cret@db/tapes", "--store-dir", "d")
	o.check(t, exitOK, "", "tapedeck: postgres at postgres://db/tapes has schema 3, that of this program\n")
	if f.opt.Store.Postgres != "postgres://ada:s3cret@db/tapes" || f.opt.Store.Dir != "d" {
		t.Errorf("opened with %+v", f.opt)
	}
}

package deck

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/query"
	"tapedeck/internal/sample"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == query.WorkerArg {
		os.Exit(query.WorkerMain())
	}
	os.Exit(m.Run())
}

// openDeck opens a deck with query workers of its own. Options that a test
// leaves out are for a new folder and a new cache.
func openDeck(t testing.TB, opt Options) *Deck {
	t.Helper()
	if opt.Folders == nil {
		opt.Folders = []string{t.TempDir()}
	}
	if opt.CacheDir == "" {
		opt.CacheDir = t.TempDir()
	}
	var err error
	if opt.Pool.Executable, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// drives is a folder with the sample recordings.
func drives(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := sample.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// message is a JSON message of a recording that a test builds.
type message struct {
	topic string
	time  time.Duration // log time since the epoch
	json  string
}

// record writes a recording of JSON messages without schema, and with the
// metadata records given.
func record(t testing.TB, path string, messages []message, metadata ...mcap.Metadata) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	w, err := mcap.NewWriter(&out, &mcap.WriterOptions{Chunked: true, ChunkSize: 64 << 10, Compression: mcap.CompressionZSTD, IncludeCRC: true})
	must(err)
	must(w.WriteHeader(&mcap.Header{Library: "test"}))
	ids := map[string]uint16{}
	for _, m := range messages {
		id, known := ids[m.topic]
		if !known {
			id = uint16(len(ids) + 1)
			ids[m.topic] = id
			must(w.WriteChannel(&mcap.Channel{ID: id, Topic: m.topic, MessageEncoding: "json"}))
		}
		must(w.WriteMessage(&mcap.Message{ChannelID: id, LogTime: uint64(m.time), PublishTime: uint64(m.time), Data: []byte(m.json)}))
	}
	for _, m := range metadata {
		must(w.WriteMetadata(&m))
	}
	must(w.Close())
	must(os.MkdirAll(filepath.Dir(path), 0o700))
	must(os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// samples are n messages {"n":0}, {"n":1}, … of a topic, a millisecond apart.
func samples(topic string, n int) []message {
	var all []message
	for i := range n {
		all = append(all, message{topic, time.Second + time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"n":%d}`, i)})
	}
	return all
}

// bulky are n messages that take about a kilobyte each in a table.
func bulky(topic string, n int) []message {
	var all []message
	for i := range n {
		text := fmt.Sprintf("%x", filler(i))
		all = append(all, message{topic, time.Second + time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"n":%d,"text":%q}`, i, text)})
	}
	return all
}

// filler is text that compresses badly and is the same each time.
func filler(seed int) []byte {
	out := make([]byte, 512)
	x := uint64(seed)*2654435761 + 1
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

func load(t testing.TB, d *Deck, r LoadRequest) *LoadResult {
	t.Helper()
	result, err := d.Load(t.Context(), r, nil)
	if err != nil {
		t.Fatalf("loading %+v: %v", r, err)
	}
	return result
}

// ask gives a statement's rows, as JSON.
func ask(t testing.TB, d *Deck, sql string) []string {
	t.Helper()
	result, err := d.Query(t.Context(), QueryRequest{SQL: sql})
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	rows := []string{}
	for _, r := range result.Rows {
		rows = append(rows, string(r))
	}
	return rows
}

func wantRows(t testing.TB, d *Deck, sql string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, ask(t, d, sql)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", sql, diff)
	}
}

// failure is the Error that a call ended with.
func failure(t testing.TB, err error) *Error {
	t.Helper()
	var known *Error
	if !errors.As(err, &known) {
		t.Fatalf("error %v is no *Error", err)
	}
	return known
}

// wantError holds an error's code, and words that its message, hint, nearest
// right things and candidates must have between them.
func wantError(t testing.TB, what string, err error, code string, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	e := failure(t, err)
	said := strings.Join(slices.Concat([]string{e.Message, e.Hint}, e.Nearest, e.Candidates, e.FoundIn), "\n")
	if e.Code != code {
		t.Errorf("%s: code %q, want %q (%s)", what, e.Code, code, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%s: %q is not said in:\n%s", what, w, said)
		}
	}
}

// unchanged runs a call and checks that the loaded tables stay as they are.
func unchanged(t testing.TB, d *Deck, what string, call func()) {
	t.Helper()
	before, version := d.set.Names(), d.set.Catalog().Version
	call()
	if diff := cmp.Diff(before, d.set.Names()); diff != "" || d.set.Catalog().Version != version {
		t.Errorf("%s changed what is loaded (-before +after):\n%s", what, diff)
	}
}

// onDisk counts the loads in a deck's cache and the folders in the making.
func onDisk(t testing.TB, d *Deck) (loads, making int) {
	t.Helper()
	for folder, n := range map[string]*int{"loads": &loads, "making": &making} {
		entries, err := os.ReadDir(filepath.Join(d.opt.CacheDir, folder))
		if err != nil {
			t.Fatal(err)
		}
		*n = len(entries)
	}
	return loads, making
}

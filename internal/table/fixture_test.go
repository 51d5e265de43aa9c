package table

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
	"tapedeck/internal/recording/open"
)

// message is a message of a recording that a test builds.
type message struct {
	topic string
	time  uint64 // log time, nanoseconds
	data  string
}

// topics of a built recording, with their encodings and schemas.
type channel struct {
	topic, encoding string
	schema          *mcap.Schema
}

// jsonChannels are JSON channels without schema.
func jsonChannels(topics ...string) []channel {
	var all []channel
	for _, t := range topics {
		all = append(all, channel{topic: t, encoding: "json"})
	}
	return all
}

// record writes a recording with the reference writer and opens it.
func record(t testing.TB, channels []channel, messages []message, options mcap.WriterOptions) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.mcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := mcap.NewWriter(f, &options)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	must(w.WriteHeader(&mcap.Header{}))
	for i, c := range channels {
		var schema uint16
		if c.schema != nil {
			schema = uint16(i + 1)
			s := *c.schema
			s.ID = schema
			must(w.WriteSchema(&s))
		}
		must(w.WriteChannel(&mcap.Channel{ID: uint16(i + 1), Topic: c.topic, MessageEncoding: c.encoding, SchemaID: schema}))
	}
	for i, m := range messages {
		id := 1 + slices.IndexFunc(channels, func(c channel) bool { return c.topic == m.topic })
		if before, number, ok := strings.Cut(m.topic, "#"); ok { // the topic's second channel, and so on
			_, err := fmt.Sscan(number, &id)
			must(err)
			m.topic = before
		}
		must(w.WriteMessage(&mcap.Message{ChannelID: uint16(id), LogTime: m.time, PublishTime: m.time + 1, Sequence: uint32(i), Data: []byte(m.data)}))
	}
	must(w.WriteMetadata(&mcap.Metadata{Name: "run", Metadata: map[string]string{"robot": "r2", "site": "north"}}))
	must(w.Close())
	must(f.Close())
	return openSource(t, path)
}

func openSource(t testing.TB, path string) Source {
	t.Helper()
	file, err := open.File(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	sum, err := file.Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return Source{Path: path, Fingerprint: path, Summary: sum, File: file}
}

func openCache(t testing.TB) *Cache {
	t.Helper()
	c, err := OpenCache(t.TempDir(), CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustLoad(t testing.TB, c *Cache, src Source, decoders []decode.Decoder, options Options) *Load {
	t.Helper()
	load, _, err := c.Load(t.Context(), src, decoders, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	return load
}

// rows are the rows that a statement gives over a load's file, as JSON.
func rows(t testing.TB, load *Load, sql string) []string {
	t.Helper()
	conn := connect(t)
	if err := conn.Exec("ATTACH " + duckdb.QuoteText(load.Tables) + " AS l (READ_ONLY); USE l"); err != nil {
		t.Fatal(err)
	}
	return run(t, conn, sql)
}

func connect(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return conn
}

func run(t testing.TB, conn *duckdb.Conn, sql string) []string {
	t.Helper()
	statement, err := conn.Prepare(sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer statement.Close()
	stream, err := statement.Stream(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer stream.Close()
	var all []string
	for stream.Next() {
		row, _ := stream.AppendJSON(nil, 1<<20, 1<<20)
		all = append(all, string(row))
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func keywords(t *testing.T, conn *duckdb.Conn) []string {
	t.Helper()
	var words []string
	for _, row := range run(t, conn, "SELECT keyword_name FROM duckdb_keywords()") {
		var word []string
		if err := json.Unmarshal([]byte(row), &word); err != nil {
			t.Fatal(err)
		}
		words = append(words, word...)
	}
	return words
}

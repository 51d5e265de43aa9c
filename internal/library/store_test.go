package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

func fullSummary() *recording.Summary {
	schema := &recording.Schema{ID: 1, Schema: decode.Schema{Name: "T", Encoding: "ros2msg", Data: []byte("int32 n\xff")}}
	a := &recording.Channel{ID: 1, Topic: "/a", MessageEncoding: "cdr", Schema: schema, SchemaID: 1, Metadata: map[string]string{"k": "v"}, Count: 3, MeanSize: 1.5, Start: 0, End: 1<<64 - 1}
	b := &recording.Channel{ID: 1, Topic: "/b\xff\x00", Schema: schema, SchemaID: 1}
	c := &recording.Channel{ID: 2, Topic: "/c"}
	return &recording.Summary{
		Size: 9, Profile: "p", Library: "l", Start: 1, End: 1<<64 - 1, MessageCount: 3, Channels: []*recording.Channel{a, b, c},
		Metadata:    []recording.Metadata{{Name: "m", Values: map[string]string{"x": "y"}}, {Name: "m"}},
		Attachments: []recording.Attachment{{Name: "n", MediaType: "t", Size: 1, LogTime: 2}},
		Compression: []string{"none", "zstd"}, Indexed: true, Ordered: true,
		Warnings:  []recording.Warning{{Code: "c", Offset: -1, Text: "t"}},
		Redefined: []recording.Redefinition{{Block: 5, At: 6, Channel: a}, {Block: 7, At: 0, Channel: b}},
	}
}

func TestSummariesSurviveTheDisk(t *testing.T) {
	s := &store{dir: filepath.Join(t.TempDir(), "new", "summaries")}
	if s.load("0a") != nil {
		t.Error("an empty store has a summary")
	}
	for _, sum := range []*recording.Summary{fullSummary(), {}} {
		check(t, s.save("0a", sum))
		got := s.load("0a")
		if diff := cmp.Diff(sum, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(got.Channels) > 0 && (got.Channels[0].Schema != got.Channels[1].Schema || got.Redefined[1].Channel != got.Channels[1]) {
			t.Error("what was one schema or channel is two")
		}
	}
}

func TestDamagedSummariesAreMadeAgain(t *testing.T) {
	s := &store{dir: t.TempDir()}
	check(t, s.save("0a", fullSummary()))
	good, err := os.ReadFile(s.path("0a"))
	check(t, err)
	for name, content := range map[string]string{
		"empty":         "",
		"cut":           string(good[:len(good)-5]),
		"old version":   strings.Replace(string(good), "summary 1", "summary 0", 1),
		"one bit":       string(good[:len(good)-9]) + string(good[len(good)-9]^4) + string(good[len(good)-8:]),
		"only a header": storeVersion,
		"text":          "hello",
	} {
		check(t, os.WriteFile(s.path("0a"), []byte(content), 0o600))
		if s.load("0a") != nil {
			t.Errorf("%s: it is taken for a summary", name)
		}
	}
}

func TestOldSummariesAreForgotten(t *testing.T) {
	s := &store{dir: t.TempDir()}
	long := time.Now().Add(-2 * keptFor)
	for _, name := range []string{"old.summary", "left.tmp", "foreign.txt"} {
		check(t, os.Chtimes(put(t, s.dir, name, []byte("x")), long, long))
	}
	check(t, s.save("new", fullSummary()))
	var names []string
	entries, err := os.ReadDir(s.dir)
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"foreign.txt", "new.summary"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestScanUsesTheCache proves by a false summary in the cache that a second
// process reads no recording again, and by a damaged one that it then does.
func TestScanUsesTheCache(t *testing.T) {
	dir, cache := folder(t), folder(t)
	path := put(t, dir, "a.mcap", run(t, 7))
	count := func() uint64 {
		entries, problems, err := library(t, Options{Folders: []string{dir}, CacheDir: cache}).Scan(t.Context(), "", nil)
		check(t, err)
		if len(entries) != 1 || len(problems) > 0 {
			t.Fatalf("%d entries, problems %v", len(entries), problems)
		}
		return entries[0].Summary.MessageCount
	}
	if n := count(); n != 7 {
		t.Fatalf("%d messages", n)
	}
	fingerprint, err := fingerprintOf(path)
	check(t, err)
	s := &store{dir: filepath.Join(cache, "summaries")}
	kept := s.load(fingerprint)
	if kept == nil {
		t.Fatal("the summary was not kept")
	}
	kept.MessageCount = 4711
	check(t, s.save(fingerprint, kept))
	if n := count(); n != 4711 {
		t.Errorf("%d messages, want those of the cache", n)
	}
	check(t, os.WriteFile(s.path(fingerprint), []byte("damaged"), 0o600))
	if n := count(); n != 7 {
		t.Errorf("%d messages after the cache was damaged", n)
	}
}

// TestUnwritableCacheIsNoFailure has a file where the cache folder should be.
func TestUnwritableCacheIsNoFailure(t *testing.T) {
	dir := folder(t)
	put(t, dir, "a.mcap", run(t, 7))
	l := library(t, Options{Folders: []string{dir}, CacheDir: put(t, folder(t), "file", nil)})
	entries, problems, err := l.Scan(t.Context(), "", nil)
	if err != nil || len(entries) != 1 || len(problems) > 0 {
		t.Errorf("%d entries, %v, %v", len(entries), problems, err)
	}
}

package library

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	fox "github.com/foxglove/mcap/go/mcap"
)

// run is a sound recording of n messages.
func run(t testing.TB, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := fox.NewWriter(&out, &fox.WriterOptions{Chunked: true, ChunkSize: 1000, IncludeCRC: true})
	check(t, err)
	check(t, w.WriteHeader(&fox.Header{Profile: "ros2"}))
	check(t, w.WriteSchema(&fox.Schema{ID: 1, Name: "T", Encoding: "ros2msg", Data: []byte("int32 n")}))
	for id, topic := range []string{"/a", "/b"} {
		check(t, w.WriteChannel(&fox.Channel{ID: uint16(id), SchemaID: 1, Topic: topic, MessageEncoding: "cdr"}))
	}
	for i := range n {
		check(t, w.WriteMessage(&fox.Message{ChannelID: uint16(i % 2), LogTime: uint64(i + 1), Data: make([]byte, 40)}))
	}
	check(t, w.Close())
	return out.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file below dir and makes the folders on its way.
func put(t testing.TB, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, content, 0o600))
	return path
}

// folder is a temporary folder, by the path that has no links in it.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	return dir
}

func library(t testing.TB, opt Options) *Library {
	t.Helper()
	l, err := New(opt)
	check(t, err)
	return l
}

package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/open"
	"tapedeck/internal/transcript"
)

// plainImporter reads files whose name ends in .plain: a line "STREAM KEY TEXT"
// is a record, and a prompt.
type plainImporter struct {
	harness string
	places  []string
	read    func(path string) error // what reading a file ends with, after its lines; nil: well
}

// plain is the one that most tests need.
func plain(places ...string) plainImporter { return plainImporter{harness: "plain", places: places} }

func (p plainImporter) Harness() string { return p.harness }
func (p plainImporter) Title() string   { return "Plain " + p.harness }

func (p plainImporter) Places(transcript.Environment) []string { return p.places }

func (p plainImporter) Claims(f *transcript.File) bool {
	return strings.HasSuffix(f.Path, "."+p.harness)
}

func (p plainImporter) Replay() transcript.Replay { return transcript.ReplayByOrigin }

func (p plainImporter) Interpreter([]byte) (transcript.Interpreter, error) {
	return plainInterpreter{}, nil
}

type plainInterpreter struct{}

func (plainInterpreter) Add(r session.Record, _ bool) []session.Event {
	text := string(bytes.TrimSpace(r.Body))
	if strings.Contains(text, "fault") {
		panic("a fault of the interpreter")
	}
	return []session.Event{{Key: r.Key, Record: r.Key, What: &session.Prompt{
		Origin: session.Typed, Content: []session.Part{{Type: session.Text, Text: text}},
	}}}
}

func (plainInterpreter) End() []session.Event  { return nil }
func (plainInterpreter) State() ([]byte, bool) { return nil, false }

func (p plainImporter) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return from, err
	}
	lines := bufio.NewReaderSize(file, 1<<20)
	for ctx.Err() == nil {
		line, err := lines.ReadBytes('\n')
		if err != nil && len(line) > 0 {
			to.Cut(from.Offset)
		}
		if err != nil {
			break
		}
		if err := p.line(line, from.Offset, to); err != nil {
			return from, err
		}
		from.Offset += int64(len(line))
	}
	if p.read != nil {
		return from, p.read(f.Path)
	}
	return from, ctx.Err()
}

func (p plainImporter) line(line []byte, offset int64, to transcript.Sink) error {
	words := bytes.SplitN(bytes.TrimSpace(line), []byte(" "), 3)
	if len(words) < 3 {
		to.Lost(offset, "not three words")
		return nil
	}
	if string(words[2]) == "panic" {
		panic("a fault of the importer")
	}
	if bytes.HasPrefix(words[2], []byte("odd")) {
		to.Unknown("odd")
	}
	ref := session.Ref{Harness: p.harness, Key: string(words[0])}
	if err := to.Stream(ref, session.StreamFacts{}); err != nil {
		return err
	}
	return to.Record(ref, session.Record{Key: string(words[1]), Order: offset + 1, Pos: offset, Body: line})
}

// openStore opens the store in a folder.
func openStore(t testing.TB, dir string) store.Store {
	t.Helper()
	s, err := open.Open(t.Context(), open.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openArchive opens an archive on a store in a folder, and closes it in the end.
func openArchive(t testing.TB, dir string, importers ...transcript.Importer) *Archive {
	t.Helper()
	a, err := Open(t.Context(), Options{
		Store: openStore(t, dir), Importers: importers,
		Environment: transcript.Environment{Home: "/nowhere", Getenv: func(string) string { return "" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// imported imports paths, or the usual places.
func imported(t testing.TB, a *Archive, paths ...string) *ImportResult {
	t.Helper()
	result, err := a.Import(t.Context(), ImportRequest{Paths: paths}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// titles are those of all sessions, in order.
func titles(t testing.TB, a *Archive) []string {
	t.Helper()
	list, err := a.ListSessions(t.Context(), ListRequest{Sort: "title", Ascending: true, Subagents: true, PageRequest: PageRequest{Limit: 200}})
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{}
	for _, s := range list.Sessions {
		titles = append(titles, s.DisplayTitle)
	}
	return titles
}

// write makes a file in a folder of the test.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// appendTo makes a file longer.
func appendTo(t testing.TB, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
}

// wantCode checks that err is an Error with this code.
func wantCode(t *testing.T, what string, err error, code string) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != code {
		t.Fatalf("%s: %v, want an error %s", what, err, code)
	}
	return e
}

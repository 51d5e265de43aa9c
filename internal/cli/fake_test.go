package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/deck"
	"tapedeck/internal/query"
)

// fakeDeck answers with what a test put in, and keeps what it was asked.
type fakeDeck struct {
	opt deck.Options

	list   *deck.RecordingList
	info   *deck.RecordingInfo
	schema *deck.RecordingSchema
	loaded *deck.LoadResult
	result *deck.QueryResult
	err    error // of every operation

	asked  []any
	closed bool
}

func (f *fakeDeck) ListRecordings(_ context.Context, r deck.ListRequest, _ deck.Progress) (*deck.RecordingList, error) {
	f.asked = append(f.asked, r)
	return f.list, f.err
}

func (f *fakeDeck) RecordingInfo(_ context.Context, file string) (*deck.RecordingInfo, error) {
	f.asked = append(f.asked, file)
	return f.info, f.err
}

func (f *fakeDeck) Schema(_ context.Context, file, topic string) (*deck.RecordingSchema, error) {
	f.asked = append(f.asked, [2]string{file, topic})
	return f.schema, f.err
}

func (f *fakeDeck) Load(_ context.Context, r deck.LoadRequest, _ deck.Progress) (*deck.LoadResult, error) {
	f.asked = append(f.asked, r)
	return f.loaded, f.err
}

func (f *fakeDeck) Query(_ context.Context, r deck.QueryRequest) (*deck.QueryResult, error) {
	f.asked = append(f.asked, r)
	return f.result, f.err
}

func (f *fakeDeck) Stream(_ context.Context, r deck.QueryRequest, sink query.Sink) (query.Summary, error) {
	f.asked = append(f.asked, r)
	if f.result == nil {
		return query.Summary{}, f.err
	}
	if err := sink.Columns(f.result.Columns, f.result.Types); err != nil {
		return query.Summary{}, err
	}
	for _, row := range f.result.Rows {
		if err := sink.Row(row); err != nil {
			return query.Summary{}, err
		}
	}
	return query.Summary{RowCount: f.result.RowCount, Truncated: f.result.Truncated, TruncatedReason: f.result.TruncatedReason}, f.err
}

func (f *fakeDeck) Export(_ context.Context, sql, format, path string) (int64, error) {
	f.asked = append(f.asked, [3]string{sql, format, path})
	return 7, f.err
}

func (f *fakeDeck) Version() deck.Version { return deck.Version{Version: "test"} }

func (f *fakeDeck) Close() { f.closed = true }

// outcome is what a command left behind.
type outcome struct {
	code        int
	out, errOut string
}

// withoutSettings keeps the settings of whoever runs the tests out of them.
func withoutSettings(t *testing.T) {
	t.Helper()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TAPEDECK_") || strings.HasPrefix(name, "MCAP_") {
			t.Setenv(name, "")
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("XDG_DATA_HOME", "")
	t.Chdir(home)
}

// runWith runs a command line against a deck, without configuration from outside.
func runWith(t *testing.T, f *fakeDeck, stdin string, args ...string) outcome {
	t.Helper()
	withoutSettings(t)
	var out, errOut bytes.Buffer
	a := &app{in: strings.NewReader(stdin), out: &out, err: &errOut, open: func(opt deck.Options) (openedDeck, error) {
		f.opt = opt
		return f, nil
	}, openArchive: new(fakeArchive).opened}
	code := a.run(t.Context(), args)
	if len(f.asked) > 0 && !f.closed {
		t.Error("the deck was left open")
	}
	return outcome{code, out.String(), errOut.String()}
}

// rows makes an answer of rows of JSON.
func rows(columns, types []string, rows ...string) *deck.QueryResult {
	r := &deck.QueryResult{Columns: columns, Types: types, RowCount: len(rows)}
	for _, row := range rows {
		r.Rows = append(r.Rows, json.RawMessage(row))
	}
	return r
}

func (o outcome) check(t *testing.T, code int, out, errOut string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if o.out != out {
		t.Errorf("stdout:\n%s\nwant:\n%s", o.out, out)
	}
	if o.errOut != errOut {
		t.Errorf("stderr:\n%s\nwant:\n%s", o.errOut, errOut)
	}
}

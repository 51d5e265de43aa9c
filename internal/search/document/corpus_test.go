package document

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/derive"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/registry"
)

// log is a raw log of the streams in one file, in memory.
type log map[session.Ref]*stream

type stream struct {
	records map[string]session.Record
	facts   session.StreamFacts
}

func (l log) of(ref session.Ref) *stream {
	if l[ref] == nil {
		l[ref] = &stream{records: map[string]session.Record{}}
	}
	return l[ref]
}

func (l log) Stream(ref session.Ref, facts session.StreamFacts) error {
	l.of(ref).facts = facts
	return nil
}

func (l log) Record(ref session.Ref, r session.Record) error {
	r.Body = slices.Clone(r.Body)
	l.of(ref).records[r.Key] = r
	return nil
}

func (log) Lost(int64, string) {}
func (log) Unknown(string)     {}
func (log) Cut(int64)          {}

// ordered gives a stream's records by place, those without one first.
func (s *stream) ordered(session.Place) iter.Seq2[session.Record, error] {
	var list []session.Record
	for _, r := range s.records {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b session.Record) int {
		switch {
		case a.Place().Before(b.Place()):
			return -1
		case b.Place().Before(a.Place()):
			return 1
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return func(yield func(session.Record, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// logOf is what the importer that claims a file reads of it.
func logOf(t *testing.T, path string) log {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	l := log{}
	file := &transcript.File{Path: path, Info: info}
	for _, importer := range registry.All() {
		if importer.Claims(file) {
			if _, err := importer.Read(t.Context(), file, transcript.Cursor{}, l); err != nil {
				t.Logf("%s: %v", path, err)
			}
			break
		}
	}
	return l
}

// TestCorpus makes the documents of all spans of the real logs.
func TestCorpus(t *testing.T) {
	spans, documents, chunks, size, longest := 0, map[session.Kind]int{}, 0, 0, 0
	err := filepath.WalkDir(corpustest.Path(t, "agents"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for ref, s := range logOf(t, path) {
			for span := range spansOf(t, derive.Input{Ref: ref, Facts: s.facts, Importer: registry.Of(ref.Harness), Records: s.ordered}) {
				spans++
				document, ok := Of(span)
				if !ok {
					continue
				}
				checkDocument(t, span, document)
				documents[span.Kind]++
				size, longest = size+len(document.Text), max(longest, len(document.Text))
				chunks += len(checkChunks(t, document.Text, 1000))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("sessions: %d documents of llm spans, %d of tool spans, of %d spans; %d bytes, the longest %d; %d chunks of at most 1000",
		documents[session.KindLLM], documents[session.KindTool], spans, size, longest, chunks)
	if documents[session.KindLLM] < 1000 || documents[session.KindTool] < 1000 {
		t.Errorf("%v documents", documents)
	}
}

// spansOf derives a stream and gives its spans with their content.
func spansOf(t *testing.T, in derive.Input) iter.Seq[session.Span] {
	t.Helper()
	p, err := derive.Derive(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(session.Span) bool) {
		for _, s := range p.Sessions {
			for _, trace := range s.Traces {
				for _, packed := range trace.Spans {
					span := packed.Span
					if span.Input, err = packed.Input.Unpack(); err != nil {
						t.Fatal(err)
					}
					if span.Output, err = packed.Output.Unpack(); err != nil {
						t.Fatal(err)
					}
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// An IndexedStore is a store with an index beside it.
type IndexedStore interface {
	store.Store
	store.Index
	store.Documents
}

// OpenIndex opens a new, empty store twice, as two processes would. It closes both
// when the test ends.
type OpenIndex func(t *testing.T) (first, second IndexedStore)

// RunIndex runs all tests of a store.Index, and of store.Documents.
func RunIndex(t *testing.T, open OpenIndex) {
	for _, test := range []indexTest{
		{"an empty index answers", testIndexEmpty},
		{"changes are told", testChanges},
		{"changes page", testChangesPage},
		{"what stays as it was is no change", testChangesUnchanged},
		{"traces that go are changes", testChangesGone},
		{"documents are replaced", testDocuments},
		{"documents need their span", testDocumentsNeedSpans},
		{"documents go with their span", testDocumentsGo},
		{"outdated documents", testDocumentsOutdated},
		{"overtaken documents", testDocumentsOvertaken},
		{"documents are put whole or not at all", testDocumentsAtomic},
		{"documents by hash", testDocumentsByHash},
		{"documents by hash that filters choose", testDocumentsChosen},
		{"identities", testIdentity},
		{"generations are dropped", testGenerationsDropped},
		{"states are counted", testIndexState},
		{"words in any form", testTerms},
		{"syntax is none", testTermSyntax},
		{"more and rarer words are better", testTextRanking},
		{"filters of text", testTextFilters},
		{"limits of text", testTextLimits},
		{"texts", testTexts},
		{"labels", testLabels},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
	RunVectors(t, open)
}

type indexTest struct {
	name string
	run  func(*testing.T, OpenIndex)
}

// RunVectors runs all tests of a store.VectorIndex, beside or apart from the
// documents.
func RunVectors(t *testing.T, open OpenIndex) {
	for _, test := range []indexTest{
		{"deletion removes all", testIndexDelete},
		{"vectors are found as by hand", testVectors},
		{"the nearest chunk is told", testVectorChunks},
		{"equal texts share vectors", testVectorsShared},
		{"filters of vectors", testVectorFilters},
		{"limits of vectors", testVectorLimits},
		{"vectors follow their documents", testVectorsFollow},
		{"what vectors are refused", testVectorsRefused},
		{"missing vectors", testMissing},
		{"generations", testGenerations},
		{"what sessions become is followed", testSessionsChange},
		{"two processes follow at once", testIndexConcurrent},
		{"cancelling", testIndexCancel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// A span says what a test's span holds. Its document has that text.
type span struct {
	kind  session.Kind // "": an llm span
	text  string
	model string // of an llm span; "": m
	at    session.Time
}

// said are llm spans with these texts, one a trace.
func said(texts ...string) (traces [][]span) {
	for _, text := range texts {
		traces = append(traces, []span{{text: text}})
	}
	return traces
}

// telling is a projection of one session whose traces have these spans.
func telling(ref session.Ref, traces ...[]span) session.Projection {
	s := projectedSession(ref, nil)
	for seq, spans := range traces {
		model := "m"
		for _, p := range spans {
			if p.model != "" {
				model = p.model
			}
		}
		t := projectedTrace(s.Session.ID, seq, turn{prompt: fmt.Sprint("turn ", seq), model: model, at: day0})
		t.Spans = append(t.Spans[:1], tellingSpans(t.Trace, spans)...)
		t.Trace.SpanCount = len(t.Spans)
		s.Traces = append(s.Traces, t)
		s.Session = counted(s.Session, t.Trace)
		s.Daily = daily(s.Daily, turn{model: model, at: day0}, t.Trace)
	}
	return session.Projection{Sessions: []session.ProjectedSession{s}}
}

func tellingSpans(t session.Trace, spans []span) (list []session.ProjectedSpan) {
	for i, p := range spans {
		at := p.at
		if at == 0 {
			at = day0
		}
		s := session.Span{
			TraceID: t.ID, SessionID: t.SessionID, Seq: i + 1, Kind: session.KindLLM, Status: session.StatusOK, StartedAt: at, EndedAt: at,
			ID: session.LLMID(t.SessionID, fmt.Sprint(t.Seq, " ", i)), Model: "m",
		}
		if p.model != "" {
			s.Model = p.model
		}
		if p.kind == session.KindTool {
			s.Kind, s.ID, s.Model = p.kind, session.ToolID(t.SessionID, fmt.Sprint(t.Seq, " ", i)), ""
		}
		list = append(list, session.ProjectedSpan{Span: s, Input: packed(session.Text, p.text)})
	}
	return list
}

// spanID is the identifier of the i-th span that a trace of telling was given.
func spanID(ref session.Ref, trace, i int, kind session.Kind) string {
	if kind == session.KindTool {
		return session.ToolID(ref.SessionID(), fmt.Sprint(trace, " ", i))
	}
	return session.LLMID(ref.SessionID(), fmt.Sprint(trace, " ", i))
}

func traceID(ref session.Ref, trace int) string {
	return session.TraceID(ref.SessionID(), fmt.Sprint("prompt ", trace))
}

func document(spanID, text string) store.IndexDocument {
	return store.IndexDocument{SpanID: spanID, Text: text, Hash: hashOf(text)}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// follow makes the documents of all changes that were not followed.
func follow(t *testing.T, s IndexedStore) {
	t.Helper()
	if err := followSome(t.Context(), s, 3); err != nil {
		t.Fatal(err)
	}
}

// followSome follows all changes, some at a time.
func followSome(ctx context.Context, s IndexedStore, some int) error {
	for {
		state, err := s.IndexState(ctx)
		if err != nil {
			return fmt.Errorf("index state: %w", err)
		}
		changes, err := s.Changes(ctx, state.Followed, some)
		if err != nil {
			return fmt.Errorf("changes: %w", err)
		}
		if len(changes) == 0 {
			return nil
		}
		var traces []store.TraceDocuments
		for _, change := range changes {
			documents, err := documentsOf(ctx, s, change)
			if err != nil {
				return err
			}
			traces = append(traces, documents)
		}
		if err := s.PutDocuments(ctx, changes[len(changes)-1].Seq, traces); err != nil {
			return fmt.Errorf("put documents: %w", err)
		}
	}
}

// documentsOf are the documents of a trace: what its llm and tool spans took in.
func documentsOf(ctx context.Context, s IndexedStore, change store.TraceChange) (store.TraceDocuments, error) {
	documents := store.TraceDocuments{TraceID: change.TraceID}
	spans, err := allPages(store.MaxLimit, func(p store.Page) (store.List[session.Span], error) {
		return s.Spans(ctx, change.TraceID, true, p)
	})
	if isNotFound(err) {
		return documents, nil
	}
	for _, p := range spans {
		if p.Kind == session.KindLLM || p.Kind == session.KindTool {
			documents.Documents = append(documents.Documents, document(p.ID, p.Input[0].Text))
		}
	}
	return documents, err
}

// indexed projects what is told, and follows.
func indexed(t *testing.T, s IndexedStore, projections map[session.Ref]session.Projection) {
	t.Helper()
	with(t, s, projections)
	follow(t, s)
}

// grow gives a stream another record, and projects it anew.
func grow(t *testing.T, s IndexedStore, ref session.Ref, p session.Projection) {
	t.Helper()
	n := streamOf(t, s, ref).Records
	appendTo(t, s, batch(ref, record(fmt.Sprint("more ", n), n+1)))
	project(t, s, ref, p)
}

// changes are the changes after one, as "session/trace" of the keys that names has,
// a minus sign before those that are gone.
func changes(t *testing.T, s IndexedStore, after int64, limit int) (list []string, last int64) {
	t.Helper()
	got, err := s.Changes(t.Context(), after, limit)
	if err != nil {
		t.Fatalf("changes: %v", err)
	}
	last = after
	for _, change := range got {
		if change.Seq <= last {
			t.Errorf("a change of Seq %d comes after one of %d", change.Seq, last)
		}
		last = change.Seq
		list = append(list, nameOf(change))
	}
	return list, last
}

// nameOf tells a change of the streams a to f, of at most 10 traces.
func nameOf(change store.TraceChange) string {
	sign := ""
	if change.Gone {
		sign = "-"
	}
	for _, key := range strings.Split("a b c d e f", " ") {
		for trace := range 10 {
			if change.SessionID == ref(key).SessionID() && change.TraceID == traceID(ref(key), trace) {
				return fmt.Sprint(sign, key, trace)
			}
		}
	}
	return fmt.Sprintf("%+v", change)
}

// everything is a filter that leaves out no document.
var everything = store.IndexFilter{Scope: store.ScopeAll}

// found are the identifiers of spans whose documents have the words, best first.
func found(t *testing.T, s IndexedStore, f store.IndexFilter, terms ...string) []string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), store.TextQuery{Terms: terms, Filter: f, Limit: 100})
	if err != nil {
		t.Fatalf("search for %q: %v", terms, err)
	}
	return spanIDs(t, hits)
}

// spanIDs are those of hits, which are checked for order and repetition.
func spanIDs(t *testing.T, hits []store.IndexHit) []string {
	t.Helper()
	ids := []string{}
	for i, hit := range hits {
		if i > 0 && hit.Score > hits[i-1].Score {
			t.Errorf("hit %d has score %g, the one before %g", i, hit.Score, hits[i-1].Score)
		}
		if slices.Contains(ids, hit.SpanID) {
			t.Errorf("%s is found twice", hit.SpanID)
		}
		ids = append(ids, hit.SpanID)
	}
	return ids
}

// sorted is a copy in order, for results whose order is not told.
func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }

func indexState(t *testing.T, s IndexedStore) store.IndexState {
	t.Helper()
	state, err := s.IndexState(t.Context())
	if err != nil {
		t.Fatalf("index state: %v", err)
	}
	return state
}

package derive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// A record of the fake harness is a list of events in JSON.
type scripted struct {
	Kind   string          `json:"kind"`
	Thread string          `json:"thread,omitempty"`
	At     int64           `json:"at,omitempty"`
	Late   bool            `json:"late,omitempty"` // told with the next record, or at the end
	What   json.RawMessage `json:"what"`
}

func newWhat(kind string) session.What {
	switch kind {
	case "prompt":
		return &session.Prompt{}
	case "answer":
		return &session.Answer{}
	case "call":
		return &session.Call{}
	case "result":
		return &session.Result{}
	case "context":
		return &session.Context{}
	case "title":
		return &session.Title{}
	case "note":
		return &session.Note{}
	case "spawn":
		return &session.Spawn{}
	case "facts":
		return &session.Facts{}
	}
	return nil
}

func kindOf(what session.What) string {
	for _, kind := range []string{"prompt", "answer", "call", "result", "context", "title", "note", "spawn", "facts"} {
		if fmt.Sprintf("%T", newWhat(kind)) == fmt.Sprintf("%T", what) {
			return kind
		}
	}
	return ""
}

// fakeImporter interprets records of the fake harness.
type fakeImporter struct {
	transcript.Importer
	replay transcript.Replay
}

func (i fakeImporter) Replay() transcript.Replay { return i.replay }

func (i fakeImporter) Interpreter(state []byte) (transcript.Interpreter, error) {
	f := &fakeInterpreter{}
	if state == nil {
		return f, nil
	}
	return f, json.Unmarshal(state, f)
}

// fakeInterpreter keeps the late events of a record until the next one, and
// counts records.
type fakeInterpreter struct {
	Placed int             `json:"placed"`
	Held   []session.Event `json:"-"`
	Late   [][2]string     `json:"late"` // key and body of records whose late events wait
}

func (f *fakeInterpreter) Add(r session.Record, replayed bool) []session.Event {
	events := f.End()
	f.Late = nil
	if r.Order != 0 {
		f.Placed++
	}
	if replayed {
		return events
	}
	now, late := interpret(r.Key, r.Body)
	if len(late) > 0 {
		f.Late = append(f.Late, [2]string{r.Key, string(r.Body)})
	}
	return append(events, now...)
}

func (f *fakeInterpreter) End() []session.Event {
	var events []session.Event
	for _, waits := range f.Late {
		_, late := interpret(waits[0], []byte(waits[1]))
		events = append(events, late...)
	}
	return events
}

func (f *fakeInterpreter) State() ([]byte, bool) {
	state, err := json.Marshal(f)
	return state, err == nil
}

func interpret(key string, body []byte) (now, late []session.Event) {
	var list []scripted
	if json.Unmarshal(body, &list) != nil {
		return nil, nil
	}
	for n, s := range list {
		what := newWhat(s.Kind)
		if what == nil || json.Unmarshal(s.What, what) != nil {
			continue
		}
		e := session.Event{Key: key, Record: key, At: session.Time(s.At), Thread: s.Thread, What: what}
		if n > 0 {
			e.Key += "#" + strconv.Itoa(n+1)
		}
		if s.Late {
			late = append(late, e)
		} else {
			now = append(now, e)
		}
	}
	return now, late
}

// told is a record that says these things at a minute.
func told(minute int, what ...session.What) session.Record {
	return record(minute, "", what...)
}

func record(minute int, thread string, what ...session.What) session.Record {
	var list []scripted
	at := start + int64(minute)*60_000
	for _, w := range what {
		text, err := json.Marshal(w)
		if err != nil {
			panic(err)
		}
		list = append(list, scripted{Kind: kindOf(w), Thread: thread, At: at, What: text})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return session.Record{Key: fmt.Sprintf("r%d", minute), Order: int64(minute), Body: body, At: session.Time(at)}
}

const start = 1_780_000_000_000 // 2026-05-28

// unplaced is a record without a place.
func unplaced(key string, what ...session.What) session.Record {
	r := told(0, what...)
	r.Key, r.Order = key, 0
	return r
}

func text(s string) []session.Part { return []session.Part{{Type: session.Text, Text: s}} }

func typed(s string) *session.Prompt {
	return &session.Prompt{Origin: session.Typed, Content: text(s)}
}

func says(merge, s string) *session.Answer {
	return &session.Answer{Merge: merge, Model: "claude-sonnet-4-5", Content: text(s)}
}

func calls(merge, id, tool, input string) *session.Answer {
	return &session.Answer{Merge: merge, Model: "claude-sonnet-4-5", Content: []session.Part{
		{Type: session.ToolCall, ID: id, Name: tool, Input: json.RawMessage(input)},
	}}
}

func gives(id, s string) *session.Result {
	return &session.Result{CallID: id, Content: text(s), Status: session.StatusOK}
}

// logged are records as a store gives them.
type logged []session.Record

func (l logged) records(from session.Place) iter.Seq2[session.Record, error] {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b session.Record) int {
		if (a.Order == 0) != (b.Order == 0) {
			return cmp.Compare(a.Order, b.Order)
		}
		if a.Place().Before(b.Place()) {
			return -1
		}
		return 1
	})
	return func(yield func(session.Record, error) bool) {
		for _, r := range sorted {
			if r.Order != 0 && r.Place().Before(from) {
				continue
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

var testRef = session.Ref{Harness: "fake", Key: "one"}

func inputOf(records ...session.Record) Input {
	return Input{Ref: testRef, Importer: fakeImporter{}, Records: logged(records).records}
}

func derived(t *testing.T, in Input) session.Projection {
	t.Helper()
	p, err := Derive(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// only is the one session that the records give.
func only(t *testing.T, records ...session.Record) session.ProjectedSession {
	t.Helper()
	p := derived(t, inputOf(records...))
	if len(p.Sessions) != 1 {
		t.Fatalf("%d sessions, want 1", len(p.Sessions))
	}
	return p.Sessions[0]
}

// stored is what a store holds of a stream after projections.
type stored struct {
	Sessions map[string]session.Session
	Daily    map[string][]session.DayUsage
	Traces   map[string][]session.ProjectedTrace
	Links    map[string][]session.Link // by trace
	sessions []string
	points   []byte
}

// project does what store.Derived promises.
func (s *stored) project(p session.Projection) {
	if p.From == 0 {
		*s = stored{Sessions: map[string]session.Session{}, Daily: map[string][]session.DayUsage{}, Traces: map[string][]session.ProjectedTrace{}, Links: map[string][]session.Link{}}
	}
	s.points = p.Checkpoints
	s.sessions = nil
	for n, one := range p.Sessions {
		id := one.Session.ID
		s.sessions = append(s.sessions, id)
		s.Sessions[id], s.Daily[id] = one.Session, one.Daily
		kept := s.Traces[id]
		if n == 0 {
			for _, t := range kept[p.From:] {
				delete(s.Links, t.Trace.ID)
			}
			kept = kept[:p.From]
		}
		s.Traces[id] = append(slices.Clip(kept), one.Traces...)
		for _, l := range one.Links {
			s.Links[l.FromTraceID] = append(s.Links[l.FromTraceID], l)
		}
	}
}

func (s *stored) hasSpan(spanID string, beforeSeq int) (bool, error) {
	if len(s.sessions) == 0 {
		return false, nil
	}
	for _, t := range s.Traces[s.sessions[0]] {
		if t.Trace.Seq >= beforeSeq {
			continue
		}
		for _, one := range t.Spans {
			if one.Span.ID == spanID {
				return true, nil
			}
		}
	}
	return false, nil
}

func (s *stored) json(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lines are what is stored, to be compared by people.
func (s *stored) lines() []string {
	var lines []string
	for _, id := range keysOf(s.Sessions) {
		lines = append(lines, fmt.Sprintf("%+v", s.Sessions[id]), fmt.Sprintf("%+v", s.Daily[id]))
		for _, t := range s.Traces[id] {
			lines = append(lines, fmt.Sprintf("%+v", t.Trace))
			for _, one := range t.Spans {
				lines = append(lines, fmt.Sprintf("  %+v %x %x", one.Span, one.Input, one.Output))
			}
			lines = append(lines, fmt.Sprintf("  %+v", s.Links[t.Trace.ID]))
		}
	}
	return lines
}

func spanNamed(t *testing.T, s session.ProjectedSession, name string) session.ProjectedSpan {
	t.Helper()
	for _, trace := range s.Traces {
		for _, one := range trace.Spans {
			if one.Span.Name == name {
				return one
			}
		}
	}
	t.Fatalf("no span %q", name)
	return session.ProjectedSpan{}
}

func unpacked(t *testing.T, p session.Packed) []session.Part {
	t.Helper()
	parts, err := p.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// knowing is an importer that knows beforehand what records say.
type knowing struct {
	transcript.Importer
	said map[string][]session.Event
}

func (k knowing) Replay() transcript.Replay                          { return transcript.ReplayByOrigin }
func (k knowing) Interpreter([]byte) (transcript.Interpreter, error) { return k, nil }
func (k knowing) Add(r session.Record, _ bool) []session.Event       { return k.said[r.Key] }
func (k knowing) End() []session.Event                               { return nil }
func (k knowing) State() ([]byte, bool)                              { return nil, true }

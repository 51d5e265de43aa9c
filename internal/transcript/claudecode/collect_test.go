package claudecode

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// collected is a sink that keeps everything.
type collected struct {
	records []streamRecord
	facts   map[session.Ref]session.StreamFacts
	lost    []string
	unknown []string
	cut     []int64
}

type streamRecord struct {
	ref    session.Ref
	record session.Record
}

func (c *collected) Stream(ref session.Ref, facts session.StreamFacts) error {
	if c.facts == nil {
		c.facts = map[session.Ref]session.StreamFacts{}
	}
	c.facts[ref] = facts
	return nil
}

func (c *collected) Record(ref session.Ref, r session.Record) error {
	r.Body = bytes.Clone(r.Body)
	c.records = append(c.records, streamRecord{ref, r})
	return nil
}

func (c *collected) Lost(offset int64, reason string) {
	c.lost = append(c.lost, fmt.Sprintf("%d: %s", offset, reason))
}
func (c *collected) Unknown(kind string) { c.unknown = append(c.unknown, kind) }
func (c *collected) Cut(offset int64)    { c.cut = append(c.cut, offset) }

// byStream are the records that count, in their order: of those with one key the
// one that session.Record says.
func (c *collected) byStream() map[session.Ref][]session.Record {
	keyed := map[session.Ref]map[string]session.Record{}
	for _, r := range c.records {
		if keyed[r.ref] == nil {
			keyed[r.ref] = map[string]session.Record{}
		}
		first, ok := keyed[r.ref][r.record.Key]
		best := r.record
		if ok && compareVersions(first, r.record) > 0 {
			best = first
		}
		if ok {
			best.Pos = min(first.Pos, r.record.Pos)
		}
		keyed[r.ref][r.record.Key] = best
	}
	streams := map[session.Ref][]session.Record{}
	for ref, records := range keyed {
		for _, r := range records {
			streams[ref] = append(streams[ref], r)
		}
		slices.SortFunc(streams[ref], func(a, b session.Record) int {
			if a.Place().Before(b.Place()) {
				return -1
			}
			return 1
		})
	}
	return streams
}

func compareVersions(a, b session.Record) int {
	return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(len(a.Body), len(b.Body)), bytes.Compare(a.Body, b.Body))
}

func fileAt(t testing.TB, path string) *transcript.File {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return &transcript.File{Path: path, Info: info}
}

func readFile(t testing.TB, paths ...string) *collected {
	t.Helper()
	var got collected
	for _, path := range paths {
		if _, err := New().Read(context.Background(), fileAt(t, path), transcript.Cursor{}, &got); err != nil {
			t.Fatalf("reading %s: %v", path, err)
		}
	}
	return &got
}

// interpret gives the events of records, going on from the state every now and
// then, where there is one.
func interpret(records []session.Record) []session.Event {
	in, err := New().Interpreter(nil)
	if err != nil {
		panic(err)
	}
	var events []session.Event
	for i, r := range records {
		if state, ok := in.State(); ok && i%7 == 3 {
			if in, err = New().Interpreter(state); err != nil {
				panic(err)
			}
		}
		events = append(events, add(in, r)...)
	}
	return append(events, in.End()...)
}

// add adds a record whose body is overwritten at once: events must not hold it.
func add(in transcript.Interpreter, r session.Record) []session.Event {
	r.Body = bytes.Clone(r.Body)
	events := in.Add(r, false)
	for i := range r.Body {
		r.Body[i] = '#'
	}
	return events
}

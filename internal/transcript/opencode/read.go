package opencode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// keySession is the key of a session's own record; a message has its id, a part
// its message's and its own: "msg_…/prt_…".
const keySession = "session"

// Read reads a database, or one file of the tree. Where reading of a database
// ended is in the cursor's state alone: its bytes tell nothing of it.
func (i importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	if i.isDatabase(f) {
		return i.readDatabase(ctx, f, from, to)
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a file of a session: %w", err)
	}
	defer file.Close()
	end, err := jsonl.NewReader(file, 0).Each(ctx, to, func(value []byte, start int64) error { return i.value(f.Path, value, start, to) })
	if err != nil {
		return transcript.Cursor{}, err
	}
	return transcript.Cursor{Offset: end}, nil
}

// value gives the record of a file of the tree.
func (i importer) value(path string, body []byte, start int64, to transcript.Sink) error {
	doc := gjson.ParseBytes(body)
	id := doc.Get("id").Str
	if id == "" {
		to.Lost(start, "expected a session, message or part with an id, found a value without one")
		return nil
	}
	switch tableOf(path) {
	case tableSession:
		return i.session(id, doc, body, to)
	case tableMessage:
		return i.record(doc.Get("sessionID").Str, id, doc, body, start, to)
	}
	message := doc.Get("messageID").Str
	if message == "" && isPartFolder(path) {
		message = filepath.Base(filepath.Dir(path))
	}
	owner := doc.Get("sessionID").Str
	if owner == "" {
		owner = sessionOf(path, message)
	}
	count(doc.Get("type").Str, to)
	return i.record(owner, message+"/"+id, doc, body, start, to)
}

func (i importer) session(id string, doc gjson.Result, body []byte, to transcript.Sink) error {
	ref := session.Ref{Harness: i.harness, Key: id}
	if err := i.tell(ref, doc.Get("parentID").Str, to); err != nil {
		return err
	}
	return to.Record(ref, session.Record{
		Key: keySession, Version: updated(doc), At: session.Time(doc.Get("time.created").Int()), Body: body,
	})
}

// tell tells of a stream, and of the session that started it as its sub-agent.
func (i importer) tell(ref session.Ref, parent string, to transcript.Sink) error {
	facts := session.StreamFacts{}
	if parent != "" {
		facts.Parent = &session.Ref{Harness: i.harness, Key: parent}
	}
	return to.Stream(ref, facts)
}

func (i importer) record(owner, key string, doc gjson.Result, body []byte, start int64, to transcript.Sink) error {
	if owner == "" {
		to.Lost(start, "expected a part of a message that is in the tree, found none with its messageID")
		return nil
	}
	ref := session.Ref{Harness: i.harness, Key: owner}
	at := created(doc)
	return to.Record(ref, session.Record{Key: key, Version: updated(doc), Order: at, At: session.Time(at), Body: body})
}

// count tells of parts of a type that is not known here.
func count(kind string, to transcript.Sink) {
	if !knownParts[kind] {
		to.Unknown("part " + session.Clip(kind, 80))
	}
}

// created is when a message or part began, in milliseconds; 0 for what does not
// say.
func created(doc gjson.Result) int64 {
	for _, name := range []string{"time.created", "time.start", "state.time.start"} {
		if at := doc.Get(name).Int(); at > 0 {
			return at
		}
	}
	return 0
}

// updated is the latest moment that a value holds: files are edited in place and
// only sessions say when.
func updated(doc gjson.Result) int64 {
	latest := int64(0)
	for _, name := range []string{"time", "state.time"} {
		doc.Get(name).ForEach(func(_, at gjson.Result) bool {
			if at.Type == gjson.Number {
				latest = max(latest, at.Int())
			}
			return true
		})
	}
	return latest
}

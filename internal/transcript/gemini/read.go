package gemini

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// A progress is what a cursor keeps of a log, so that reading goes on behind the
// last line. A snapshot is always read whole.
type progress struct {
	Session string `json:"session"`
}

// reading is one run over a file.
type reading struct {
	file  *transcript.File
	to    transcript.Sink
	at    progress // of a log; Session "": none has begun
	base  string   // session of the snapshot that a log may go on from
	begun bool     // the stream was told of, and what stands beside the file was given
}

// Read reads a session.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a session: %w", err)
	}
	defer file.Close()
	r := reading{file: f, to: to}
	offset := r.resume(from)
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return from, fmt.Errorf("reading a session: %w", err)
	}
	end, err := jsonl.NewReader(file, offset).Each(ctx, to, r.value)
	if err != nil {
		return from, err
	}
	cursor := transcript.Cursor{Offset: end}
	if r.at.Session != "" {
		cursor.State, err = json.Marshal(r.at)
	}
	return cursor, err
}

// resume is where to read from: behind what is known of a log that has only
// grown, else the start.
func (r *reading) resume(from transcript.Cursor) int64 {
	var known progress
	if json.Unmarshal(from.State, &known) != nil || known.Session == "" {
		return 0
	}
	if r.file.Info != nil && r.file.Info.Size() < from.Offset {
		return 0
	}
	r.at = known
	return from.Offset
}

// value takes one value: a snapshot, or a line of a log.
func (r *reading) value(body []byte, start int64) error {
	if r.at.Session != "" {
		return r.logLine(body, start)
	}
	doc := gjson.ParseBytes(body)
	if messages := messagesOf(doc); messages.IsArray() && !doc.Get("$set").Exists() {
		return r.snapshot(doc, messages)
	}
	id := firstOf(doc.Get("sessionId").Str, doc.Get("$set.sessionId").Str, r.base)
	if id == "" {
		r.to.Lost(start, "expected a session's first line with its sessionId, found a value without one")
		return nil
	}
	r.at.Session = id
	return r.logLine(body, start)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// messagesOf is where a snapshot keeps its messages: early files call it history.
func messagesOf(doc gjson.Result) gjson.Result {
	if messages := doc.Get("messages"); messages.Exists() {
		return messages
	}
	return doc.Get("history")
}

// begin tells of the stream, once, and gives what stands beside the file.
func (r *reading) begin(ref session.Ref) error {
	if r.begun {
		return nil
	}
	r.begun = true
	facts := session.StreamFacts{}
	// Since 0.40 a sub-agent's file lies in a folder named after its parent.
	dir := filepath.Dir(r.file.Path)
	if parent := filepath.Base(dir); filepath.Base(filepath.Dir(dir)) == "chats" {
		facts.Parent = &session.Ref{Harness: harness, Key: parent}
		dir = filepath.Dir(dir)
	}
	if err := r.to.Stream(ref, facts); err != nil {
		return err
	}
	if filepath.Base(dir) != "chats" {
		return nil
	}
	return r.projectRoot(ref, filepath.Join(filepath.Dir(dir), ".project_root"))
}

const (
	kindSubagent = "subagent"
	maxRoot      = 4096 // a path is no longer
)

// projectRoot gives the file in which the harness keeps the project's folder:
// sessions hold only a hash of it.
func (r *reading) projectRoot(ref session.Ref, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return nil // versions before 0.30 wrote none
	}
	defer file.Close()
	root, err := io.ReadAll(io.LimitReader(file, maxRoot))
	if err != nil || strings.TrimSpace(string(root)) == "" {
		return nil
	}
	return r.to.Record(ref, session.Record{Key: keyRoot, Body: root})
}

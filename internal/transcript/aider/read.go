package aider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// maxBlock bounds a block; a longer one goes on in a block of the same kind.
const maxBlock = 1 << 20

// moreSuffix ends the key of a block that goes on with the one before.
const moreSuffix = "-more"

// progress is what a cursor keeps: where the last session begins, from which on
// a grown file is read again.
type progress struct {
	Session int64 `json:"session"`
}

// Read reads the sessions of a history.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a chat history: %w", err)
	}
	defer file.Close()
	var known progress
	if json.Unmarshal(from.State, &known) != nil || known.Session < 0 || known.Session > from.Offset {
		known = progress{}
	}
	if f.Info != nil && f.Info.Size() < from.Offset {
		known = progress{}
	}
	if _, err := file.Seek(known.Session, io.SeekStart); err != nil {
		return from, fmt.Errorf("reading a chat history: %w", err)
	}
	r := reader{lines: newLineReader(file, known.Session), to: to}
	if err := r.sessions(ctx); err != nil {
		return from, fmt.Errorf("reading a chat history: %w", err)
	}
	state, err := json.Marshal(progress{Session: r.from})
	return transcript.Cursor{Offset: r.end, State: state}, err
}

// A reader cuts a history into sessions and blocks.
type reader struct {
	lines *lineReader
	to    transcript.Sink
	from  int64 // where the last session begins
	end   int64 // behind what was taken

	ref     session.Ref
	at      session.Time
	hash    hash.Hash // of what stands up to the first prompt
	held    []block   // blocks before the first prompt
	kinds   classifier
	open    block
	blocks  int
	started bool           // the session has a prompt: ref is known
	seconds map[string]int // keys of the sessions of one second
}

// A block is lines of one kind.
type block struct {
	kind  kind
	more  bool // it goes on with the block before
	blank bool // its last line is blank
	body  []byte
}

// sessions reads to the end.
func (r *reader) sessions(ctx context.Context) error {
	r.from = r.lines.offset
	r.begin(line{start: r.from}, 0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		l, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			return r.closeBlock()
		}
		if err != nil {
			return err
		}
		if l.cut && !mayGrow(l) {
			r.to.Cut(l.start)
			return r.closeBlock()
		}
		if err := r.line(l); err != nil {
			return err
		}
		r.end = r.lines.offset
	}
}

// mayGrow reports whether a line without its end may be taken: when it is, and
// will stay, text of an answer, or continues a line.
func mayGrow(l line) bool {
	text := bytes.TrimLeft(l.text, " \t")
	return l.continues || (len(text) > 0 && text[0] != '#' && text[0] != '>' && text[0] != '`')
}

// line takes a line into the session and block that it belongs to.
func (r *reader) line(l line) error {
	if at, ok := headerTime(l.text); ok && !l.continues {
		if err := r.closeBlock(); err != nil {
			return err
		}
		r.begin(l, at)
		return r.extend(kindHeader, l)
	}
	if r.open.kind != "" && (l.continues || len(bytes.TrimSpace(l.text)) == 0) {
		return r.extend(r.open.kind, l)
	}
	if len(bytes.TrimSpace(l.text)) == 0 {
		return nil // blank lines before everything
	}
	k := r.kinds.classify(l.text)
	if k == kindPrompt && !r.started {
		r.name(l)
		if err := r.tell(); err != nil {
			return err
		}
	}
	return r.extend(k, l)
}

// begin begins a session. Those of one second stay apart by their number, if
// they begin alike.
func (r *reader) begin(l line, at session.Time) {
	if r.seconds == nil || at != r.at {
		r.seconds, r.from = map[string]int{}, l.start
	}
	r.at, r.hash = at, sha256.New()
	r.held, r.open, r.blocks, r.started = nil, block{}, 0, false
	r.kinds = classifier{}
}

// name names the session by its time and all up to the first line of its first
// prompt.
func (r *reader) name(l line) {
	r.hash.Write(r.open.body)
	r.hash.Write(bytes.TrimRight(l.text, " \t\r\n"))
	key := hex.EncodeToString(r.hash.Sum(nil)[:8])
	if r.at != 0 {
		key = r.at.Std().Format("2006-01-02T15-04-05") + "-" + key
	}
	if r.seconds[key]++; r.seconds[key] > 1 {
		key += "-" + strconv.Itoa(r.seconds[key])
	}
	r.ref, r.started = session.Ref{Harness: harness, Key: key}, true
}

// tell gives the blocks that waited for the session's name.
func (r *reader) tell() error {
	if err := r.to.Stream(r.ref, session.StreamFacts{}); err != nil {
		return err
	}
	for _, b := range r.held {
		if err := r.give(b); err != nil {
			return err
		}
	}
	r.held = nil
	return nil
}

// extend puts a line into the open block, or closes that and opens another. A
// blank line ends a prompt: aider marks the blank ones within.
func (r *reader) extend(k kind, l line) error {
	blank := !l.continues && len(bytes.TrimSpace(l.text)) == 0
	another := r.open.kind != k || (k == kindPrompt && r.open.blank && !blank)
	if long := len(r.open.body) >= maxBlock; another || long {
		if err := r.closeBlock(); err != nil {
			return err
		}
		r.open = block{kind: k, more: !another}
	}
	r.open.blank = blank
	r.open.body = append(r.open.body, l.text...)
	return nil
}

// closeBlock gives the open block; before the session has a prompt it is held.
// What is held is bounded: a session whose first prompt comes later is not one.
func (r *reader) closeBlock() error {
	b := r.open
	r.open = block{}
	if b.kind == "" {
		return nil
	}
	if r.started {
		return r.give(b)
	}
	r.hash.Write(b.body)
	if len(r.held) < maxHeld {
		r.held = append(r.held, b)
	}
	return nil
}

// maxHeld bounds the blocks before a session's first prompt: aider writes a few
// lines there, and only a file that is none of its own has more. Blocks beyond
// it are left out.
const maxHeld = 8

func (r *reader) give(b block) error {
	r.blocks++
	key := fmt.Sprintf("%06d-%s", r.blocks, b.kind)
	if b.more {
		key += moreSuffix
	}
	return r.to.Record(r.ref, session.Record{
		Key: key, Version: int64(len(b.body)), Order: int64(r.blocks), At: r.at, Body: b.body,
	})
}

package gemini

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// An interpreter edits the session together and tells what it is at the end:
// until the last record any message may still be replaced or undone.
type interpreter struct {
	root     string
	meta     meta
	snapshot map[string]message // by key, of all snapshots
	arrived  []message          // the same, in their order
	order    []string           // keys in the snapshot that counts
	base     bool               // the snapshot is in the history, or a log stands in its place
	history  history
}

// Interpreter interprets a session; there is no state to go on from.
func (importer) Interpreter([]byte) (transcript.Interpreter, error) {
	return &interpreter{snapshot: map[string]message{}}, nil
}

func (in *interpreter) State() ([]byte, bool) { return nil, false }

// Add takes a record. Those of snapshots come before the lines of a log.
func (in *interpreter) Add(r session.Record, _ bool) []session.Event {
	switch {
	case r.Key == keyRoot:
		in.root = session.Clean(string(bytes.TrimSpace(r.Body)))
	case r.Key == keySession:
		doc := gjson.ParseBytes(r.Body)
		in.meta.merge(doc)
		for _, key := range messagesOf(doc).Array() {
			in.order = append(in.order, key.String())
		}
	case strings.HasPrefix(r.Key, keyMessage):
		id := strings.TrimPrefix(r.Key, keyMessage)
		m := message{id: id, record: r.Key, body: gjson.ParseBytes(r.Body)}
		in.snapshot[r.Key], in.arrived = m, append(in.arrived, m)
	case strings.HasPrefix(r.Key, keyLine):
		line := gjson.ParseBytes(r.Body)
		if !in.base && !line.Get("sessionId").Exists() { // its first line is the snapshot
			in.fromSnapshot()
		}
		in.base = true
		in.edit(line, r.Key)
	}
	return nil
}

// fromSnapshot makes the history that the latest snapshot lists. What only
// earlier ones had was rewound, or compressed where the list begins so.
func (in *interpreter) fromSnapshot() {
	for _, m := range in.arrived {
		in.history.put(m)
	}
	var list []message
	for _, key := range in.order {
		if m, ok := in.snapshot[key]; ok {
			list = append(list, m)
		}
	}
	in.history.replace(list)
}

// edit does what a line of a log says.
func (in *interpreter) edit(line gjson.Result, record string) {
	if to := line.Get("$rewindTo"); to.Type == gjson.String {
		in.history.rewind(to.Str)
		return
	}
	if id := line.Get("id"); id.Type == gjson.String {
		in.history.put(message{id: id.Str, record: record, body: line})
		return
	}
	if set := line.Get("$set"); set.IsObject() {
		line = set
	}
	in.meta.merge(line)
	if list := line.Get("messages"); list.IsArray() {
		in.history.replace(messages(list, record))
	}
}

// End tells the session.
func (in *interpreter) End() []session.Event {
	if !in.base {
		in.fromSnapshot()
	}
	t := teller{subagent: in.meta.kind == kindSubagent}
	t.begin(in.meta, in.root)
	for _, m := range in.history.all() {
		t.tell(m)
	}
	return t.events
}

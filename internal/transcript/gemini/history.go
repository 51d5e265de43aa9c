package gemini

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A message is one that the session has, as it stands now.
type message struct {
	id     string // its key without what tells snapshots and logs apart
	record string // key of the record that says so
	body   gjson.Result
}

// A history is a session's messages in order, edited as the harness edits them.
type history struct {
	list  []message
	index map[string]int
	// past are messages that a compressed history no longer holds.
	past []message
}

// put appends a message, or puts it in the place of the earlier one with its id.
func (h *history) put(m message) {
	if at, ok := h.index[m.id]; ok {
		h.list[at] = m
		return
	}
	if h.index == nil {
		h.index = map[string]int{}
	}
	h.index[m.id] = len(h.list)
	h.list = append(h.list, m)
}

// rewind takes away a message and all behind it; all, where there is none with
// this id.
func (h *history) rewind(id string) {
	at := h.index[id]
	for _, m := range h.list[at:] {
		delete(h.index, m.id)
	}
	h.list = slices.Clip(h.list[:at])
}

// replace puts a list in the place of all messages. A list that begins with the
// summary of a compressed history has left out what was said, not undone it:
// that is kept.
func (h *history) replace(list []message) {
	old := h.list
	h.list, h.index = nil, nil
	for _, m := range list {
		h.put(m)
	}
	if len(h.list) == 0 || !isCompressed(h.list[0].body) {
		return
	}
	for _, m := range old {
		if _, there := h.index[m.id]; !there && !isCompressed(m.body) {
			h.past = append(h.past, m)
		}
	}
}

// all are the messages, those that were compressed first.
func (h *history) all() []message {
	return slices.Concat(h.past, h.list)
}

// isCompressed reports whether a message is the summary that stands for a
// history that was compressed.
func isCompressed(body gjson.Result) bool {
	return typeOf(body) == typeUser && isSummary(plainText(contentOf(body)))
}

func isSummary(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<state_snapshot>") && strings.HasSuffix(text, "</state_snapshot>")
}

// messages are those of a $set or of a log's first line.
func messages(list gjson.Result, record string) []message {
	keys, bodies := split(list)
	all := make([]message, len(keys))
	for i, key := range keys {
		all[i] = message{id: strings.TrimPrefix(key, keyMessage), record: record, body: bodies[i]}
	}
	return all
}

// meta is what is known of the session beside its messages; of what is said
// again the last counts.
type meta struct {
	kind, summary, directory string
	started                  session.Time
	model                    string // of early snapshots
}

func (m *meta) merge(doc gjson.Result) {
	set := func(field *string, value gjson.Result) {
		if value.Type == gjson.String && value.Str != "" {
			*field = session.Clean(value.Str)
		}
	}
	set(&m.kind, doc.Get("kind"))
	set(&m.summary, doc.Get("summary"))
	set(&m.directory, doc.Get("directories.0"))
	set(&m.model, doc.Get("meta.model"))
	if at := started(doc); at != 0 {
		m.started = at
	}
}

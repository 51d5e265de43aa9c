package opencode

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// An interpreter gathers a session's messages with their parts and tells them at
// the end: parts come in whatever order they were begun in.
type interpreter struct {
	harness  string
	session  element
	messages []element            // in their order
	parts    map[string][]element // by message
}

// An element is a session, message or part, from a file or a row.
type element struct {
	id     string
	record string
	row    bool         // from a database
	at     session.Time // when it began; of a row when it was made
	doc    gjson.Result // of a row of the tables message and part its data
}

// Interpreter interprets a session; there is no state to go on from, as any part
// may still be edited.
func (i importer) Interpreter([]byte) (transcript.Interpreter, error) {
	return &interpreter{harness: i.harness, parts: map[string][]element{}}, nil
}

func (in *interpreter) State() ([]byte, bool) { return nil, false }

func (in *interpreter) Add(r session.Record, _ bool) []session.Event {
	e := element{id: r.Key, record: r.Key, at: r.At, doc: gjson.ParseBytes(r.Body)}
	e.row = e.doc.Get("time_updated").Exists()
	if data := e.doc.Get(columnData); e.row && data.IsObject() {
		e.doc = data
	}
	message, part, isPart := strings.Cut(r.Key, "/")
	switch {
	case r.Key == keySession:
		in.session = e
	case isPart:
		e.id = part
		in.parts[message] = append(in.parts[message], e)
	default:
		in.messages = append(in.messages, e)
	}
	return nil
}

// End tells the session.
func (in *interpreter) End() []session.Event {
	t := teller{harness: in.harness}
	t.begin(in.session)
	for _, m := range in.messages {
		parts := in.parts[m.id]
		ordered := arrange(parts)
		switch m.doc.Get("role").Str {
		case "user":
			t.user(m, parts)
		case "assistant":
			t.assistant(m, parts, ordered)
		}
	}
	return t.events
}

// ascending are the identifiers that the harness makes: they sort by time.
var ascending = regexp.MustCompile(`^prt_[0-9a-f]{12}`)

// arrange puts a message's parts in the harness' order, that of their
// identifiers, and reports whether that is known: rows have their times, files
// stay in the order in which their parts were begun, if that is told.
func arrange(parts []element) (ordered bool) {
	rows, ids := true, true
	for _, p := range parts {
		rows = rows && p.row
		ids = ids && ascending.MatchString(p.id)
	}
	if ids {
		slices.SortStableFunc(parts, func(a, b element) int { return cmp.Compare(a.id, b.id) })
	}
	return rows || ids
}

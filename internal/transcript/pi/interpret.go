package pi

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// Interpreter interprets a stream from its first record, or from a state.
func (importer) Interpreter(from []byte) (transcript.Interpreter, error) {
	in := &interpreter{}
	if len(from) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(from, &in.state); err != nil {
		return nil, fmt.Errorf("the state of a Pi interpreter: %w", err)
	}
	return in, nil
}

// An interpreter tells what the records of one stream mean.
type interpreter struct {
	state
	record session.Record // the current one
	keys   int            // that were given out for it
	out    []session.Event
}

// state is what an interpreter keeps from record to record.
type state struct {
	Last    string `json:"last,omitempty"`    // identifier of the last entry
	Working bool   `json:"working,omitempty"` // the model called tools and has not answered yet
}

// State is what to go on from.
func (in *interpreter) State() ([]byte, bool) {
	text, err := json.Marshal(in.state)
	return text, err == nil
}

// End gives nothing: no record waits for another.
func (in *interpreter) End() []session.Event { return nil }

// Add interprets one record.
func (in *interpreter) Add(r session.Record, replayed bool) []session.Event {
	in.record, in.keys, in.out = r, 0, nil
	entry := gjson.ParseBytes(r.Body)
	switch {
	case r.Key == ownHeader:
		in.header(entry)
		return in.out
	case isHeader(entry): // of another session
		return nil
	case replayed:
		in.contextIs(entry)
	default:
		in.branch(entry)
		in.entry(entry)
	}
	if id := text(entry.Get("id")); id != "" {
		in.Last = id
	}
	return in.out
}

func (in *interpreter) header(entry gjson.Result) {
	in.emit(&session.Facts{StartedAt: timeOf(entry)})
	in.emit(&session.Context{
		Model:    text(entry.Get("modelId")),
		Provider: text(entry.Get("provider")),
		Cwd:      text(entry.Get("cwd")),
	})
}

// branch tells that a person went back to an earlier entry: the parent of this
// one is not the entry before it. An entry without a parent begins anew.
func (in *interpreter) branch(entry gjson.Result) {
	parent := entry.Get("parentId")
	if in.Last == "" || !parent.Exists() || text(parent) == in.Last {
		return
	}
	in.Working = false
	in.emit(&session.Note{Name: "branch", Attributes: map[string]string{"from": text(parent)}})
}

func (in *interpreter) entry(entry gjson.Result) {
	switch kind := text(entry.Get("type")); kind {
	case "message":
		in.message(entry.Get("message"))
	case "custom_message":
		in.injected(entry.Get("content"))
	case "compaction":
		in.compaction(entry)
	case "branch_summary":
		in.summary(entry)
		in.used(entry)
	case "model_change":
		in.contextIs(entry)
	case "label":
		if label := text(entry.Get("label")); label != "" {
			in.emit(&session.Note{Name: kind, Text: label, Attributes: map[string]string{"of": text(entry.Get("targetId"))}})
		}
	case "session_info":
		if name := text(entry.Get("name")); name != "" {
			in.emit(&session.Title{Text: name, Rank: session.TitlePerson})
		}
	case "usage":
		in.used(entry)
	case "thinking_level_change", "custom", "context_edit":
	default:
		in.emit(&session.Note{Name: kind})
	}
}

// contextIs tells of a change of the model.
func (in *interpreter) contextIs(entry gjson.Result) {
	c := session.Context{Model: text(entry.Get("modelId")), Provider: text(entry.Get("provider"))}
	if c != (session.Context{}) {
		in.emit(&c)
	}
}

func (in *interpreter) compaction(entry gjson.Result) {
	n := &session.Note{Name: session.NoteCompaction, Status: session.StatusOK}
	if before := entry.Get("tokensBefore"); before.Type == gjson.Number {
		n.Attributes = map[string]string{"tokens_before": before.Raw}
	}
	in.emit(n)
	in.summary(entry)
	in.used(entry)
}

// summary tells what took the place of what was said before.
func (in *interpreter) summary(v gjson.Result) {
	if s := text(v.Get("summary")); s != "" {
		in.emit(&session.Prompt{Origin: session.Summary, Content: textParts(s)})
	}
}

// used tells the tokens of work that gave no answer: summaries, what tools had
// models do.
func (in *interpreter) used(v gjson.Result) {
	if u := usageOf(v.Get("usage")); u != nil && u.Total() > 0 {
		model := text(v.Get("model"))
		if model == "" {
			model = text(v.Get("modelId"))
		}
		in.emit(&session.Answer{Model: model, Provider: text(v.Get("provider")), Usage: u})
	}
}

// emit tells an event of the current record.
func (in *interpreter) emit(what session.What) {
	in.keys++
	key := in.record.Key
	if in.keys > 1 {
		key += "#" + strconv.Itoa(in.keys)
	}
	in.out = append(in.out, session.Event{Key: key, Record: in.record.Key, At: in.record.At, What: what})
}

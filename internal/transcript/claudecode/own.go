package claudecode

import (
	"strings"
	"unsafe"

	"tapedeck/internal/session"
)

// viewOf is body as a string without a copy: lines may be long. It must not be
// used, nor any part of it, once body's owner may change it.
func viewOf(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }

// own makes an event keep nothing of the record's body: a few short strings would
// hold all of it in memory.
func own(what session.What) {
	switch w := what.(type) {
	case *session.Prompt:
		ownParts(w.Content)
	case *session.Answer:
		ownStrings(&w.MessageID, &w.RequestID, &w.Model, &w.StopReason, &w.Error)
		ownParts(w.Content)
	case *session.Result:
		ownStrings(&w.CallID, &w.Error)
		ownParts(w.Content)
		ownValues(w.Attributes)
	case *session.Note:
		ownStrings(&w.Name, &w.Text)
		ownValues(w.Attributes)
	case *session.Title:
		ownStrings(&w.Text)
	case *session.Spawn:
		ownStrings(&w.CallID, &w.AgentType, &w.Description)
	case *session.Facts:
		ownStrings(&w.Name, &w.AgentType, &w.ParentCallID)
	}
}

func ownStrings(texts ...*string) {
	for _, text := range texts {
		*text = strings.Clone(*text)
	}
}

func ownParts(parts []session.Part) {
	for i := range parts {
		p := &parts[i]
		ownStrings(&p.Text, &p.ID, &p.Name, &p.MediaType, &p.URL)
	}
}

func ownValues(of map[string]string) {
	for name, value := range of {
		of[name] = strings.Clone(value)
	}
}

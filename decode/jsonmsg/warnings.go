package jsonmsg

import (
	"fmt"
	"strings"

	"tapedeck/decode"
)

// maxWarnings and maxNamed bound what Warnings says: a schema may be wrong in
// thousands of places.
const (
	maxWarnings = 100
	maxNamed    = 10
)

// Warnings implements [decode.Inferrer].
func (p *plan) Warnings() []string {
	w := warnings{lines: append([]string(nil), p.notes...)}
	w.tree(p.tree)
	if over := len(w.lines) - maxWarnings; over > 0 {
		w.lines = append(w.lines[:maxWarnings], fmt.Sprintf("%d more columns differ from their schema", over))
	}
	return w.lines
}

type warnings struct {
	lines []string
}

func (w *warnings) tree(t *tree) {
	others := t.value.seen &^ sawNull
	switch {
	case t.root.declared == objectForm && others != 0:
		w.add("message", "declared object, found %s too: column %q holds it", others, valueColumn)
	case t.value.declared != anyForm && t.root.seen&sawObject != 0:
		w.add("message", "declared %s, found object too", formNames[t.value.declared].schema)
	}
	w.shape("message", t.root)
	w.shape("message", t.value)
}

func (w *warnings) add(path, format string, args ...any) {
	w.lines = append(w.lines, path+": "+fmt.Sprintf(format, args...))
}

// shape says in what a place differs from its schema, and where columns were
// given up for want of room.
func (w *warnings) shape(path string, s *shape) {
	f := s.form()
	switch {
	case s.json == byKeys:
		w.add(path, "its objects have too many different keys to be columns: it is JSON text")
	case s.json == byNames:
		w.add(path, "a key of it makes a name of more than %d bytes: it is JSON text", maxName)
	case s.json == byDepth:
		w.add(path, "objects or arrays lie more than %d deep: from here on they are JSON text", maxLevels)
	case s.json == byElements && s.declared == listForm:
		w.add(path, "declared an array of one kind, found elements of several (%s): it is JSON text", s.elements)
	case s.json == bySchema, s.json == byRecursion, s.declared == anyForm:
	case f != s.declared:
		w.add(path, "declared %s, found %s: it is %s", formNames[s.declared].schema, s.unfit(), formNames[f].column)
	case s.wasStamp():
		w.add(path, "declared as sec and %s, found an object that is no time in nanoseconds: it is columns of its keys", s.nanos)
	}
	w.undeclared(path, s)
	for _, m := range s.members {
		w.shape(strings.TrimPrefix(path+"."+decode.CleanName(m.key), "message."), m)
	}
	if s.elem != nil {
		w.shape(path+"[]", s.elem)
	}
}

// undeclared names the keys that an object has beside those of its schema.
func (w *warnings) undeclared(path string, s *shape) {
	if s.given == 0 || len(s.members) <= s.given {
		return
	}
	var names []string
	extra := s.members[s.given:]
	for _, m := range extra[:min(len(extra), maxNamed)] {
		names = append(names, fmt.Sprintf("%q", m.key))
	}
	if over := len(extra) - maxNamed; over > 0 {
		names = append(names, fmt.Sprintf("%d more", over))
	}
	w.add(path, "keys that the schema does not declare became columns: %s", strings.Join(names, ", "))
}

// wasStamp reports whether an object was declared to be a time, but is none.
func (s *shape) wasStamp() bool { return s.nanos != "" && s.stamp == decode.Invalid }

// unfit returns what was seen that the declared form does not hold.
func (s *shape) unfit() traits {
	fit := map[form]traits{
		boolForm:   sawBool,
		intForm:    sawInt | sawInexact,
		floatForm:  sawInt | sawFraction,
		textForm:   sawText,
		blobForm:   sawText,
		objectForm: sawObject,
		listForm:   sawList,
	}
	return s.seen &^ (sawNull | fit[s.declared])
}

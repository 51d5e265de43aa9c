package jsonmsg

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"tapedeck/decode"
)

// strictBase64 loses no bit: what it accepts encodes back to the same text,
// line breaks aside.
var strictBase64 = base64.StdEncoding.Strict()

// tree is all that is known of the messages.
type tree struct {
	root    *shape // of messages that are objects; never a column itself
	value   *shape // of the others
	places  int
	changed bool // since it was last looked at
	scratch []byte
	blob    []byte
}

func newTree() *tree {
	return &tree{root: &shape{}, value: &shape{key: valueColumn}, places: 2}
}

// declare takes a schema into account, and says why if that is no help.
func (t *tree) declare(schema decode.Schema) (problem string) {
	switch {
	case schema.Encoding == "":
		return ""
	case schema.Encoding != "jsonschema":
		return fmt.Sprintf("a schema of encoding %q says nothing of JSON", schema.Encoding)
	case len(bytes.TrimSpace(schema.Data)) == 0:
		return "the JSON schema is empty"
	}
	s, err := readSchema(schema.Data)
	switch {
	case err != nil:
		return "the JSON schema can't be used: " + err.Error()
	case s.isOpen() || s.isUnbuilt():
		return "the JSON schema does not say what a message is"
	case s.form() == objectForm:
		s.stamp, s.nanos = decode.Invalid, "" // its fields are columns all the same
		t.root = s
	default:
		s.key = valueColumn
		t.value = s
	}
	t.places = t.root.places() + t.value.places()
	return ""
}

// settled reports whether the columns change only where messages break the schema.
func (t *tree) settled() bool {
	return t.root.declared != anyForm && t.root.settled() || t.value.declared != anyForm && t.value.settled()
}

// objects reports whether messages are objects, at least some of them.
func (t *tree) objects() bool {
	return t.root.declared == objectForm || t.root.seen&sawObject != 0
}

// valueColumn is the column of messages that are no object.
const valueColumn = "value"

// columnType returns the type of a message as a whole, a struct of what is laid
// out in columns.
func (t *tree) columnType() decode.Type {
	var fields []decode.Field
	if t.root.json == notJSON {
		fields = t.root.fields()
	}
	if f := t.valueForm(); f != anyForm {
		field := decode.Field{Name: valueColumn, Type: decode.Scalar(decode.JSON), Description: t.value.description}
		if f != jsonForm {
			field.Type = t.value.columnType()
		}
		fields = append(fields, field)
	}
	return decode.StructOf(fields...)
}

// valueForm returns what the column of messages that are no object is: JSON
// text where there are objects as well, and anyForm when there is no such column.
func (t *tree) valueForm() form {
	objects := t.objects()
	others := t.value.declared != anyForm || t.value.seen&^sawNull != 0
	switch {
	case t.root.json != notJSON, objects && others:
		return jsonForm
	case others:
		return t.value.form()
	case !objects && t.value.seen != 0:
		return nullForm
	}
	return anyForm
}

// observe takes a message, which is valid, into account.
func (t *tree) observe(msg []byte) {
	i := begin(msg)
	if msg[i] == '{' {
		t.place(t.root, msg, i)
	} else {
		t.place(t.value, msg, i)
	}
}

// place takes the value at i into account and returns its end. As the message
// is valid the errors of the scanning functions are nil here.
func (t *tree) place(s *shape, msg []byte, i int) int {
	if s.json == notJSON {
		switch msg[i] {
		case '{':
			return t.object(s, msg, i)
		case '[':
			return t.list(s, msg, i)
		case '"':
			return t.text(s, msg, i)
		case 't', 'f':
			t.saw(s, sawBool)
		case 'n':
			t.saw(s, sawNull)
		default:
			n, end, _ := scanNumber(msg, i)
			t.saw(s, n.traits(msg[i:end], s.declared == intForm))
			return end
		}
	}
	return valueEnd(msg, i)
}

func valueEnd(msg []byte, i int) int {
	end, _ := skip(msg, i, 0)
	return end
}

func (t *tree) saw(s *shape, seen traits) {
	if s.seen|seen == s.seen {
		return
	}
	s.seen |= seen
	t.changed = true
	if s.form() == jsonForm {
		t.turnJSON(s, byKinds)
	}
}

// descend notes an object or array and reports whether what is in it matters.
func (t *tree) descend(s *shape, seen traits) bool {
	t.saw(s, seen)
	if s.json == notJSON && s.level == maxLevels {
		t.turnJSON(s, byDepth)
	}
	return s.json == notJSON
}

func (t *tree) turnJSON(s *shape, why reason) {
	t.places -= s.places() - 1
	s.giveUp(why)
	t.changed = true
}

func (t *tree) text(s *shape, msg []byte, i int) int {
	end, escaped, _ := scanString(msg, i)
	seen := sawText
	if s.declared == blobForm && s.seen&sawNotBase64 == 0 {
		var err error
		t.blob, err = strictBase64.AppendDecode(t.blob[:0], t.content(msg[i+1:end-1], escaped))
		if err != nil {
			seen |= sawNotBase64
		}
	}
	t.saw(s, seen)
	return end
}

// content returns what a string says; it is good until the next call.
func (t *tree) content(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	t.scratch = unescape(t.scratch[:0], raw)
	return t.scratch
}

func (t *tree) list(s *shape, msg []byte, i int) int {
	if !t.descend(s, sawList) {
		return valueEnd(msg, i)
	}
	if s.elem == nil {
		s.elem = &shape{level: s.level + 1}
		t.places++
	}
	i = skipSpace(msg, i+1)
	if msg[i] == ']' {
		return i + 1
	}
	for more := true; more; {
		i, more, _ = scanNext(msg, t.place(s.elem, msg, i), ']')
	}
	if s.elem.json == byKinds {
		s.elements = s.elem.seen
		t.turnJSON(s, byElements)
	}
	return i
}

func (t *tree) object(s *shape, msg []byte, start int) int {
	first := s.seen&sawObject == 0
	if !t.descend(s, sawObject) {
		return valueEnd(msg, start)
	}
	if s.stamp != decode.Invalid {
		if _, _, err := scanStamp(msg, start, s.stamp, s.nanos); err != nil {
			s.stamp, t.changed = decode.Invalid, true
		}
	}
	i := skipSpace(msg, start+1)
	if msg[i] == '}' {
		return i + 1
	}
	for guess, more := 0, true; more; guess++ {
		end, escaped, _ := scanString(msg, i)
		m := t.member(s, t.content(msg[i+1:end-1], escaped), &guess, first)
		if m == nil {
			return valueEnd(msg, start)
		}
		value, _ := scanColon(msg, end)
		i, more, _ = scanNext(msg, t.place(m, msg, value), '}')
	}
	if first {
		s.known = len(s.members)
	}
	return i
}

// member returns the member of a key, which is most likely the one at guess,
// and sets guess to where it is. A key that is new becomes a member; there is
// none when that turned the object to JSON text.
func (t *tree) member(s *shape, key []byte, guess *int, first bool) *shape {
	if *guess >= len(s.members) || s.members[*guess].key != string(key) {
		at, ok := s.index[string(key)]
		if !ok {
			at = len(s.members)
			if !t.grow(s, string(key), first) {
				return nil
			}
		}
		*guess = at
	}
	return s.members[*guess]
}

// grow adds a member that the schema does not name, unless the object has so
// many keys that they must be data; then it becomes JSON text.
func (t *tree) grow(s *shape, key string, first bool) bool {
	m := &shape{level: s.level + 1}
	if s.extra != nil {
		m = s.extra.clone()
	}
	m.key = key
	places := m.places()
	switch {
	case !m.fitsName(s.named):
		t.turnJSON(s, byNames)
	case !first && len(s.members)-s.known >= maxNewKeys, t.places+places > maxPlaces:
		t.turnJSON(s, byKeys)
	default:
		s.add(m)
		t.places += places
		t.changed = true
		return true
	}
	return false
}

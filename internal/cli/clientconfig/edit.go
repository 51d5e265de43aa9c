package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// setMember returns text, which is an object in JSON or empty, with the member
// name of the object under section set to value. All else keeps its bytes.
func setMember(text []byte, section, name string, value any) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := parseObject(text, 0)
	if err != nil {
		return nil, err
	}
	indent := root.indent(text, "  ")
	servers, ok := root.member(section)
	if !ok {
		return root.insert(text, section, map[string]any{name: value}, "", indent)
	}
	inner, err := parseObject(text[:servers.end], servers.start)
	if err != nil {
		return nil, fmt.Errorf("%q holds no object: %w", section, err)
	}
	prefix := inner.indent(text, indent+indent)
	old, ok := inner.member(name)
	if !ok {
		return inner.insert(text, name, value, strings.TrimSuffix(prefix, indent), indent)
	}
	if same(text[old.start:old.end], value) {
		return text, nil
	}
	entry, err := marshal(value, prefix, indent)
	if err != nil {
		return nil, err
	}
	return splice(text, old.start, old.end, entry), nil
}

// object is where an object and its members stand in a text.
type object struct {
	start, end int // of the braces and all between them
	members    []member
}

type member struct {
	key        string
	start, end int // of its value
}

// parseObject finds the members of the object that begins at or behind start.
// It must be all that text holds from there on.
func parseObject(text []byte, start int) (object, error) {
	body := text[start:]
	decoder := json.NewDecoder(bytes.NewReader(body))
	open, err := decoder.Token()
	if err != nil {
		return object{}, lineError(text, start+int(decoder.InputOffset()), err)
	}
	if open != json.Delim('{') {
		return object{}, fmt.Errorf("line %d: want {, found %v", lineOf(text, start), open)
	}
	o := object{start: start + int(decoder.InputOffset()) - 1}
	for decoder.More() {
		m, err := parseMember(decoder)
		if err != nil {
			return object{}, lineError(text, start+int(decoder.InputOffset()), err)
		}
		m.start, m.end = m.start+start, m.end+start
		o.members = append(o.members, m)
	}
	if _, err := decoder.Token(); err != nil {
		return object{}, lineError(text, start+int(decoder.InputOffset()), err)
	}
	o.end = start + int(decoder.InputOffset())
	if rest := bytes.TrimLeft(text[o.end:], " \t\r\n"); len(rest) > 0 {
		return object{}, fmt.Errorf("line %d: something stands behind the closing brace", lineOf(text, len(text)-len(rest)))
	}
	return o, nil
}

func parseMember(decoder *json.Decoder) (member, error) {
	key, err := decoder.Token()
	if err != nil {
		return member{}, err
	}
	name, ok := key.(string)
	if !ok {
		return member{}, fmt.Errorf("want a key, found %v", key)
	}
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return member{}, err
	}
	end := int(decoder.InputOffset())
	return member{key: name, start: end - len(value), end: end}, nil
}

// member returns the last member of a key, which is the one that counts.
func (o object) member(key string) (member, bool) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return o.members[i], true
		}
	}
	return member{}, false
}

// indent is the white space in front of the first member, or otherwise when
// that does not stand on a line of its own.
func (o object) indent(text []byte, otherwise string) string {
	inside := text[o.start+1 : o.end-1]
	space := inside[:len(inside)-len(bytes.TrimLeft(inside, " \t\r\n"))]
	newline := bytes.LastIndexByte(space, '\n')
	if newline < 0 || len(o.members) == 0 {
		return otherwise
	}
	return string(space[newline+1:])
}

// insert adds a member behind the last one. Prefix is what the line of the
// closing brace begins with.
func (o object) insert(text []byte, key string, value any, prefix, indent string) ([]byte, error) {
	name, err := marshal(key, "", "")
	if err != nil {
		return nil, err
	}
	content, err := marshal(value, prefix+indent, indent)
	if err != nil {
		return nil, err
	}
	line := newline(text) + prefix + indent + string(name) + ": " + string(content)
	if len(o.members) > 0 {
		last := o.members[len(o.members)-1]
		return splice(text, last.end, last.end, []byte(","+line)), nil
	}
	return splice(text, o.start+1, o.end-1, []byte(line+newline(text)+prefix)), nil
}

// splice puts content, with the line ends of text, in the place of text[start:end].
func splice(text []byte, start, end int, content []byte) []byte {
	if newline(text) == "\r\n" {
		content = bytes.ReplaceAll(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	return bytes.Join([][]byte{text[:start], content, text[end:]}, nil)
}

func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// same reports whether text is value already, however it is spaced.
func same(text []byte, value any) bool {
	wanted, err := marshal(value, "", "")
	if err != nil {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, text) == nil && json.Compact(&b, wanted) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}

func lineError(text []byte, offset int, err error) error {
	var syntax *json.SyntaxError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	if errors.As(err, &syntax) {
		err = errors.New(strings.TrimPrefix(syntax.Error(), "json: "))
	}
	return fmt.Errorf("line %d is no JSON: %w", lineOf(text, offset), err)
}

func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

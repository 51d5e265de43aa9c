package jsonmsg

import (
	"strconv"
	"strings"
)

// document is a JSON value of a schema, its keys in order.
type document struct {
	kind   byte        // as the value begins: { [ " t f n, or 0 for a number
	text   string      // what a string says, a number as it is written
	values []*document // of an object or array
	keys   map[string]int
	names  []string // of the values of an object
}

// parseDocument reads a whole JSON text. Of a key that is written twice the
// last value counts.
func parseDocument(data []byte) (*document, error) {
	if err := validate(data); err != nil {
		return nil, err
	}
	p := parser{data: data, i: begin(data)}
	return p.value(), nil
}

// parser reads JSON that is known to be valid.
type parser struct {
	data []byte
	i    int
}

func (p *parser) value() *document {
	switch c := p.data[p.i]; c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return &document{kind: c, text: p.text()}
	case 't', 'f', 'n':
		p.i = valueEnd(p.data, p.i)
		return &document{kind: c}
	}
	start := p.i
	p.i = valueEnd(p.data, p.i)
	return &document{text: string(p.data[start:p.i])}
}

func (p *parser) text() string {
	start := p.i + 1
	p.i = valueEnd(p.data, p.i)
	return string(unescape(nil, p.data[start:p.i-1]))
}

// open steps into an object or array and reports whether there is anything in it.
func (p *parser) open(closing byte) bool {
	p.i = skipSpace(p.data, p.i+1)
	if p.data[p.i] != closing {
		return true
	}
	p.i++
	return false
}

func (p *parser) object() *document {
	d := &document{kind: '{', keys: map[string]int{}}
	for more := p.open('}'); more; {
		name := p.text()
		p.i, _ = scanColon(p.data, p.i)
		if at, ok := d.keys[name]; ok {
			d.values[at] = p.value()
		} else {
			d.keys[name] = len(d.values)
			d.names = append(d.names, name)
			d.values = append(d.values, p.value())
		}
		p.i, more, _ = scanNext(p.data, p.i, '}')
	}
	return d
}

func (p *parser) array() *document {
	d := &document{kind: '['}
	for more := p.open(']'); more; {
		d.values = append(d.values, p.value())
		p.i, more, _ = scanNext(p.data, p.i, ']')
	}
	return d
}

// none is what a document lacks: no kind of value, nothing in it.
var none = &document{kind: '?'}

// get returns the value of a key, or none.
func (d *document) get(key string) *document {
	if at, ok := d.keys[key]; ok {
		return d.values[at]
	}
	return none
}

// str returns the value of a key if that is a string, or "".
func (d *document) str(key string) string {
	if v := d.get(key); v.kind == '"' {
		return v.text
	}
	return ""
}

// list returns the elements of a key's value if that is an array.
func (d *document) list(key string) []*document {
	if v := d.get(key); v.kind == '[' {
		return v.values
	}
	return nil
}

// pointer returns what a JSON pointer (RFC 6901) leads to, or none.
func (d *document) pointer(path string) *document {
	names := strings.Split(path, "/")
	if names[0] != "" {
		return none
	}
	for _, name := range names[1:] {
		at, err := strconv.Atoi(name)
		switch {
		case d.kind != '[':
			d = d.get(pointerEscapes.Replace(name))
		case err != nil || at < 0 || at >= len(d.values):
			return none
		default:
			d = d.values[at]
		}
	}
	return d
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

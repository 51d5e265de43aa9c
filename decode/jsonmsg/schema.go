package jsonmsg

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tapedeck/decode"
)

const (
	// maxSteps bounds the sub-schemas that are looked at: a definition that
	// names the next one twice doubles with every level.
	maxSteps = 4 * decode.MaxFields
	// maxSchemaDepth bounds how deep they lie in one another. Alternatives and
	// references count here, though not as levels of the messages.
	maxSchemaDepth = 200
)

var errSteps = errors.New("its definitions multiply beyond what columns can be")

// readSchema returns the shape of messages from a JSON Schema (drafts 4 to
// 2020-12, as far as they say what kind a value is).
func readSchema(data []byte) (*shape, error) {
	doc, err := parseDocument(data)
	if err != nil {
		return nil, err
	}
	if doc.kind != '{' && doc.kind != 't' {
		return nil, errors.New("it is no JSON object")
	}
	b := builder{doc: doc, refs: map[string]*document{}, active: []*document{doc}}
	s := b.build(doc, 0)
	if b.steps > maxSteps {
		return nil, errSteps
	}
	s.finish()
	if n := s.places(); n > maxPlaces {
		return nil, fmt.Errorf("it has %d fields, more than %d", n, maxPlaces)
	}
	if !s.fitsName(0) {
		return nil, fmt.Errorf("it makes names of more than %d bytes", maxName)
	}
	return s, nil
}

// builder makes shapes from the parts of a schema.
type builder struct {
	doc    *document
	refs   map[string]*document
	active []*document // the definitions that are being built
	depth  int
	steps  int
}

// build makes the shape of a schema: what it says itself, and what it refers to.
func (b *builder) build(d *document, level int) *shape {
	b.depth++
	defer func() { b.depth-- }()
	if b.steps++; b.steps > maxSteps {
		return &shape{level: level}
	}
	if b.depth > maxSchemaDepth {
		return &shape{level: level, json: byDepth}
	}
	s := b.own(d, level)
	s.title, s.description = d.str("title"), d.str("description")
	if ref := d.str("$ref"); ref != "" {
		s = s.and(b.refer(ref, level))
	}
	for _, part := range d.list("allOf") {
		s = s.and(b.build(part, level))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if alternatives := d.list(key); alternatives != nil {
			s = s.and(b.either(alternatives, level))
		}
	}
	return s
}

// refer builds what a reference leads to. Within what it leads to, the same
// reference is JSON text; one to another document says nothing.
func (b *builder) refer(ref string, level int) *shape {
	d, ok := b.refs[ref]
	if !ok {
		d = none
		path, local := strings.CutPrefix(ref, "#")
		if path, err := url.PathUnescape(path); local && err == nil {
			d = b.doc.pointer(path)
		}
		b.refs[ref] = d
	}
	if slices.Contains(b.active, d) {
		return &shape{level: level, json: byRecursion}
	}
	b.active = append(b.active, d)
	defer func() { b.active = b.active[:len(b.active)-1] }()
	return b.build(d, level)
}

// either builds the shape of values that are one of several, null aside.
func (b *builder) either(alternatives []*document, level int) *shape {
	s := &shape{level: level, declared: nullForm}
	for _, d := range alternatives {
		s = s.or(b.build(d, level))
	}
	return s
}

// own builds what a schema says without looking at what it refers to.
func (b *builder) own(d *document, level int) *shape {
	s := &shape{level: level}
	s.declared, s.values = b.declared(d)
	switch s.declared {
	case jsonForm:
		s.declared, s.json = anyForm, bySchema
	case objectForm:
		b.object(s, d)
	case listForm:
		b.list(s, d)
	case textForm:
		if strings.EqualFold(d.str("contentEncoding"), "base64") {
			s.declared = blobForm
		}
	}
	return s
}

// declared returns the one form that a schema's values have, anyForm when it
// does not say and jsonForm when they have several; and the values, if listed.
func (b *builder) declared(d *document) (form, []string) {
	var types []form
	switch t := d.get("type"); t.kind {
	case '"':
		types = append(types, typeForms[t.text])
	case '[':
		b.steps += len(t.values)
		for _, name := range t.values {
			types = append(types, typeForms[name.text])
		}
	}
	listed := d.list("enum")
	if value := d.get("const"); value != none {
		listed = []*document{value}
	}
	b.steps += len(listed)
	if types == nil {
		for _, v := range listed {
			types = append(types, v.form())
		}
	}
	if types == nil {
		types = []form{impliedForm(d)}
	}
	return oneForm(types), scalarTexts(listed, d.str("title"))
}

// scalarTexts returns the texts and numbers among listed values, a single one
// with its title, by which enums say what a number means.
func scalarTexts(listed []*document, title string) []string {
	var texts []string
	for _, v := range listed {
		if v.kind == '"' || v.kind == 0 {
			texts = append(texts, v.text)
		}
	}
	if len(texts) == 1 && title != "" {
		texts[0] += " " + title
	}
	return texts
}

var typeForms = map[string]form{
	"null": nullForm, "boolean": boolForm, "integer": intForm, "number": floatForm,
	"string": textForm, "object": objectForm, "array": listForm,
}

// form returns the form of a value that a schema lists.
func (d *document) form() form {
	switch d.kind {
	case '{':
		return objectForm
	case '[':
		return listForm
	case '"':
		return textForm
	case 't', 'f':
		return boolForm
	case 'n':
		return nullForm
	}
	if strings.ContainsAny(d.text, ".eE") {
		return floatForm
	}
	return intForm
}

// impliedForm guesses the type of a schema that names none from the keywords
// that it uses, which apply to one type only.
func impliedForm(d *document) form {
	for _, hint := range []struct {
		key  string
		form form
	}{
		{"properties", objectForm}, {"additionalProperties", objectForm},
		{"items", listForm}, {"prefixItems", listForm}, {"contentEncoding", textForm},
	} {
		if d.get(hint.key) != none {
			return hint.form
		}
	}
	return anyForm
}

// oneForm returns the form of values of any of the types; null may stand for each.
func oneForm(types []form) form {
	f := nullForm
	for _, t := range types {
		switch {
		case t == nullForm || t == f:
		case f == nullForm:
			f = t
		case t == anyForm || f == anyForm:
			f = anyForm
		case t == intForm && f == floatForm, t == floatForm && f == intForm:
			f = floatForm
		default:
			return jsonForm
		}
	}
	return f
}

func (b *builder) object(s *shape, d *document) {
	if s.level == maxLevels {
		s.json = byDepth
		return
	}
	if extra := d.get("additionalProperties"); extra.kind == '{' {
		s.extra = b.build(extra, s.level+1)
	}
	properties := d.get("properties")
	for i, name := range properties.names {
		m := b.build(properties.values[i], s.level+1)
		m.key = name
		s.add(m)
	}
	s.given = len(s.members)
	s.known = s.given
}

// list builds the elements of an array: those of a tuple, which draft 2020-12
// calls prefixItems, and those behind it.
func (b *builder) list(s *shape, d *document) {
	if s.level == maxLevels {
		s.json = byDepth
		return
	}
	tuple := slices.Concat(d.list("prefixItems"), d.list("items"))
	if items := d.get("items"); items.kind == '{' {
		tuple = append(tuple, items)
	}
	s.elem = b.either(tuple, s.level+1)
}

package mcpserver

import "github.com/google/jsonschema-go/jsonschema"

// kind is what a parameter takes.
type kind int

const (
	text    kind = iota
	moment       // a text; a number stands for its digits, as epoch microseconds do
	integer      // "42" will do
	number       // "1.5" will do
	boolean      // "true" will do
	texts        // a single text will do
)

// A param is one parameter of a tool: its schema and its check in one place.
type param struct {
	name     string
	kind     kind
	about    string
	required bool
	min, max float64  // of integer and number; max 0: none
	enum     []string // of text
}

// inputSchema is the flat schema of the parameters.
func inputSchema(params []param) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, p := range params {
		s.Properties[p.name] = p.schema()
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func (p param) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Description: p.about}
	switch p.kind {
	case text, moment:
		s.Type = "string"
		for _, word := range p.enum {
			s.Enum = append(s.Enum, word)
		}
	case texts:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
	case boolean:
		s.Type = "boolean"
	case integer, number:
		s.Type = "integer"
		if p.kind == number {
			s.Type = "number"
		}
		s.Minimum = &p.min
		if p.max > 0 {
			s.Maximum = &p.max
		}
	}
	return s
}

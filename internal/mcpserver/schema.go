package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"tapedeck/internal/session"
)

// outputSchema is the JSON Schema of a result type. Registration fails loudly:
// a type that has no schema is a mistake of the program.
func outputSchema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		// The only raw JSON in a result is a row of a query: its values.
		reflect.TypeFor[json.RawMessage](): {Type: "array"},
		// Times that are not known are left out of results.
		reflect.TypeFor[session.Time](): {Type: "string"},
		reflect.TypeFor[session.USD]():  {Type: "number"},
		// What explains itself where it stands, and stands in many places, must not
		// fill every agent's context.
		reflect.TypeFor[session.Usage]():  {Type: "object"},
		reflect.TypeFor[session.Origin](): {Type: "object"},
		reflect.TypeFor[session.Link]():   {Type: "object"},
		reflect.TypeFor[partLine]():       {Type: "object"},
	}})
	if err != nil {
		panic(fmt.Sprintf("mcpserver: no schema for a result: %v", err))
	}
	relax(s)
	return s
}

// relax rewrites what the schema library says of Go types to what the results
// promise: arrays and objects are never null, and fields may be added to
// objects without breaking clients that know an older schema.
func relax(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, kind := range s.Types {
		switch {
		case kind == "array" || kind == "object":
			s.Type, s.Types = kind, nil
		case kind != "null":
			// Some clients read one type only; they can take a branch.
			s.AnyOf, s.Types = []*jsonschema.Schema{{Type: kind}, {Type: "null"}}, nil
		}
	}
	s.Minimum = nil // of Go's unsigned types; says nothing that matters here
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	relax(s.AdditionalProperties)
	relax(s.Items)
	for _, property := range s.Properties {
		relax(property)
	}
}

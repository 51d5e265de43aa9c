package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// valueSchemas are the types whose JSON is not what their Go form suggests.
var valueSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[session.Time](): {
		AnyOf:       []*jsonschema.Schema{{Type: "string", Format: "date-time"}, {Type: "null"}},
		Description: "RFC 3339 in UTC, to the millisecond; null where it is not known",
	},
	reflect.TypeFor[session.USD]():     {Type: "number", Description: "US dollars"},
	reflect.TypeFor[json.RawMessage](): {Description: "any JSON"},
	reflect.TypeFor[session.Status]():  words(statuses...),
	reflect.TypeFor[session.Kind]():    words(session.KindLLM, session.KindTool, session.KindAgent, session.KindEvent),
	reflect.TypeFor[session.Relation](): words(
		session.Subagent, session.Fork),
	reflect.TypeFor[session.LinkKind](): words(
		session.LinkSpawns, session.LinkForks, session.LinkFeeds),
	reflect.TypeFor[session.PartType](): words(
		session.Text, session.Thinking, session.ToolCall, session.ToolResult, session.Blob, session.Data),
	reflect.TypeFor[session.PromptOrigin](): words(
		session.Typed, session.Queued, session.Delegated, session.Command, session.Injected, session.Summary, ""),
	reflect.TypeFor[store.StatsBy](): words(
		store.ByDay, store.ByModel, store.ByProject, store.ByHarness, store.ByNothing),
}

// words is the schema of a text that is one of these.
func words[S ~string](allowed ...S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, word := range allowed {
		s.Enum = append(s.Enum, string(word))
	}
	return s
}

// schemas makes the JSON Schemas of the types that routes take and give, each
// struct once.
type schemas struct {
	made map[string]*jsonschema.Schema // by name
	of   map[string]reflect.Type
}

func newSchemas() *schemas {
	return &schemas{made: map[string]*jsonschema.Schema{}, of: map[string]reflect.Type{}}
}

// ref is a reference to the schema of a struct, which is made when it is not
// there yet. It fails loudly: a type without a schema is a mistake of the program.
func (s *schemas) ref(t reflect.Type) *jsonschema.Schema {
	name := schemaName(t)
	if known, ok := s.of[name]; ok && known != t {
		panic(fmt.Sprintf("httpapi: %v and %v share the name %s", known, t, name))
	}
	if s.of[name] == nil {
		s.of[name] = t
		s.made[name] = s.reflect(t)
	}
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// schemaName is a type's name, as the document has it.
func schemaName(t reflect.Type) string {
	name := []byte(t.Name())
	if name[0] >= 'a' {
		name[0] -= 'a' - 'A'
	}
	return string(name)
}

// reflect makes the schema of a struct, with references to those within it.
func (s *schemas) reflect(t reflect.Type) *jsonschema.Schema {
	made, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: valueSchemas})
	if err != nil {
		panic(fmt.Sprintf("httpapi: no schema for %v: %v", t, err))
	}
	relax(made)
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if made.Properties[name] == nil || field.Anonymous {
			continue
		}
		if inner := s.refTo(field.Type); inner != nil {
			made.Properties[name] = inner
		}
	}
	return made
}

// refTo is the schema of a field that is a struct, or a pointer to, list or map
// of such; nil for others.
func (s *schemas) refTo(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Struct:
		return s.ref(t)
	case reflect.Pointer:
		if inner := s.refTo(t.Elem()); inner != nil {
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{inner, {Type: "null"}}}
		}
	case reflect.Slice:
		if inner := s.refTo(t.Elem()); inner != nil {
			return &jsonschema.Schema{Type: "array", Items: inner}
		}
	case reflect.Map:
		if inner := s.refTo(t.Elem()); inner != nil {
			return &jsonschema.Schema{Type: "object", AdditionalProperties: inner}
		}
	}
	return nil
}

// relax rewrites what the schema library says of Go types to what the answers
// promise: lists and maps are never null, a pointer may be, and objects may grow
// by fields.
func relax(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
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

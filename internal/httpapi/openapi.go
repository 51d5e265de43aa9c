package httpapi

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"tapedeck/internal/archive"
)

// The parts of an OpenAPI 3.1 document that this API needs
// (https://spec.openapis.org/oas/v3.1.0).
type (
	openAPI struct {
		OpenAPI    string                                 `json:"openapi"`
		Info       openAPIInfo                            `json:"info"`
		Servers    []openAPIServer                        `json:"servers"`
		Security   []map[string][]string                  `json:"security"`
		Paths      map[string]map[string]*operationObject `json:"paths"`
		Components openAPIComponents                      `json:"components"`
	}
	openAPIInfo struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Version     string `json:"version"`
	}
	openAPIServer struct {
		URL string `json:"url"`
	}
	openAPIComponents struct {
		Schemas         map[string]*jsonschema.Schema `json:"schemas"`
		SecuritySchemes map[string]securityScheme     `json:"securitySchemes"`
	}
	securityScheme struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme"`
		Description string `json:"description"`
	}
	operationObject struct {
		ID          string                    `json:"operationId"`
		Summary     string                    `json:"summary"`
		Description string                    `json:"description,omitempty"`
		Parameters  []parameterObject         `json:"parameters,omitempty"`
		Body        *bodyObject               `json:"requestBody,omitempty"`
		Responses   map[string]responseObject `json:"responses"`
	}
	parameterObject struct {
		Name        string             `json:"name"`
		In          string             `json:"in"`
		Required    bool               `json:"required,omitempty"`
		Description string             `json:"description"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	bodyObject struct {
		Required bool                   `json:"required"`
		Content  map[string]mediaObject `json:"content"`
	}
	responseObject struct {
		Description string                 `json:"description"`
		Content     map[string]mediaObject `json:"content,omitempty"`
	}
	mediaObject struct {
		Schema *jsonschema.Schema `json:"schema"`
	}
)

// document describes routes of a version of the program.
func document(routes []route, version string) *openAPI {
	known := newSchemas()
	paths := map[string]map[string]*operationObject{}
	for _, r := range routes {
		if paths[r.path] == nil {
			paths[r.path] = map[string]*operationObject{}
		}
		paths[r.path][strings.ToLower(r.method)] = describe(r, known)
	}
	return &openAPI{
		OpenAPI: "3.1.0",
		Info: openAPIInfo{
			Title:       "tapedeck",
			Description: "Sessions of AI agents: list them, open them, count what they took. The Model Context Protocol is served at /v1/mcp.",
			Version:     cmp.Or(version, "0"),
		},
		Servers:  []openAPIServer{{"/"}},
		Security: []map[string][]string{{}, {"token": {}}},
		Paths:    paths,
		Components: openAPIComponents{
			Schemas: known.made,
			SecuritySchemes: map[string]securityScheme{"token": {
				Type: "http", Scheme: "bearer", Description: "the server's auth_token, where it has one",
			}},
		},
	}
}

func describe(r route, known *schemas) *operationObject {
	o := &operationObject{ID: r.name, Summary: r.summary, Description: r.about, Responses: map[string]responseObject{}}
	inPath := pathParams(r.path)
	for _, p := range r.params {
		in := "query"
		if slices.Contains(inPath, p.name) {
			in = "path"
		}
		o.Parameters = append(o.Parameters, parameterObject{
			Name: p.name, In: in, Required: in == "path" || p.required, Description: p.about, Schema: p.schema(),
		})
	}
	if r.takes != nil {
		o.Body = &bodyObject{Required: true, Content: map[string]mediaObject{mediaJSON: {known.ref(r.takes)}}}
	}
	given := responseObject{Description: "done", Content: map[string]mediaObject{}}
	for _, c := range r.gives {
		given.Content[c.mediaType] = mediaObject{c.schema(known)}
	}
	o.Responses["200"] = given
	for _, status := range r.failures() {
		o.Responses[strconv.Itoa(status)] = responseObject{
			Description: strings.ToLower(http.StatusText(status)),
			Content:     map[string]mediaObject{mediaJSON: {known.ref(reflect.TypeFor[archive.Error]())}},
		}
	}
	return o
}

func (c content) schema(known *schemas) *jsonschema.Schema {
	switch {
	case c.body != nil:
		return known.ref(c.body)
	case c.mediaType == mediaJSON:
		return &jsonschema.Schema{Type: "object"}
	}
	return &jsonschema.Schema{Type: "string"}
}

// failures are the statuses with which a route can fail.
func (r route) failures() []int {
	return append([]int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}, r.fails...)
}

func (p param) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	switch p.kind {
	case integer:
		least, most := float64(p.min), float64(p.max)
		s.Type, s.Minimum, s.Maximum = "integer", &least, &most
	case number:
		least, most := 0.0, float64(p.max)
		s.Type, s.Minimum, s.Maximum = "number", &least, &most
	case boolean:
		s.Type = "boolean"
	}
	for _, word := range p.allowed {
		s.Enum = append(s.Enum, word)
	}
	if p.preset != nil {
		s.Default, _ = encode(p.preset) // an int, a number, a bool or a text
	}
	return s
}

package httpapi

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated part of docs/http-api.md")

// served is the document that a server gives, checked.
func served(t *testing.T, h http.Handler) *openapi3.T {
	t.Helper()
	text := read(t, do(t, h, "GET", "/openapi.json", "", nil))
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentDescribesEveryRoute(t *testing.T) {
	doc := served(t, handler(api(&fakeArchive{})))
	if doc.Info.Version != "1.2.3" || !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("document of OpenAPI %s for version %q", doc.OpenAPI, doc.Info.Version)
	}
	names := map[string]bool{}
	for _, r := range routes {
		operation := doc.Paths.Value(r.path).GetOperation(r.method)
		if operation == nil || operation.Summary == "" || operation.OperationID != r.name || names[r.name] {
			t.Errorf("%s %s: described as %+v", r.method, r.path, operation)
			continue
		}
		names[r.name] = true
		for _, p := range r.params {
			said := operation.Parameters.GetByInAndName("query", p.name)
			if said == nil {
				said = operation.Parameters.GetByInAndName("path", p.name)
			}
			if said == nil || said.Description == "" {
				t.Errorf("%s %s: %s is described as %+v", r.method, r.path, p.name, said)
			}
		}
	}
}

// Whatever the server answers keeps to what its document says.
func TestAnswersKeepToTheDocument(t *testing.T) {
	h := handler(api(&fakeArchive{prompt: "p", output: "o"}))
	doc := served(t, h)
	doc.Servers = nil // the requests of this test have no host
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("text/markdown", openapi3filter.PlainBodyDecoder)
	defer openapi3filter.UnregisterBodyDecoder("text/markdown")
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	session := "/v1/sessions/" + oneSession
	for _, tc := range []struct{ method, path, body string }{
		{"GET", "/v1/sessions?limit=5&since=7d&sort=cost", ""},
		{"GET", "/v1/search/spans?query=upload&top_k=2&min_score=0.25&scope=tools", ""},
		{"GET", "/v1/search/status", ""},
		{"GET", session, ""},
		{"PATCH", session, `{"display_name":null}`},
		{"PATCH", session, `{"display_name":"a"}`},
		{"DELETE", session, ""},
		{"GET", session + "/traces", ""},
		{"GET", session + "/children", ""},
		{"GET", session + "/raw?bodies=true", ""},
		{"GET", session + "/export?format=markdown", ""},
		{"GET", "/v1/traces/" + oneTrace + "?content=full", ""},
		{"GET", "/v1/traces/" + oneTrace + "/spans/" + oneSpan, ""},
		{"GET", "/v1/stats?by=day", ""},
		{"GET", "/v1/stats", ""},
		{"GET", "/openapi.json", ""},
		{"GET", "/readyz", ""},
		{"GET", "/v1/sessions/none", ""},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			request := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, strings.NewReader(tc.body))
			request.Host = "localhost"
			if tc.body != "" {
				request.Header.Set("Content-Type", mediaJSON)
			}
			route, params, err := router.FindRoute(request)
			if err != nil {
				t.Fatal(err)
			}
			asked := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route, Options: options}
			if err := openapi3filter.ValidateRequest(t.Context(), asked); err != nil {
				t.Fatalf("the request: %v", err)
			}
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, request)
			body := answer.Body.Bytes()
			err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
				RequestValidationInput: asked, Status: answer.Code, Header: answer.Header(), Body: io.NopCloser(bytes.NewReader(body)),
				Options: options,
			})
			if err != nil {
				t.Errorf("%s\n%v", body, err)
			}
		})
	}
}

// The document is only as good as its refusals.
func TestDocumentRefusesWrongValues(t *testing.T) {
	doc := served(t, handler(api(&fakeArchive{})))
	check := func(name string, value any) error {
		return doc.Components.Schemas[name].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
	}
	usage := func() map[string]any {
		return map[string]any{"input_tokens": 1.0, "cache_read_tokens": 0.0, "cache_write_tokens": 0.0, "output_tokens": 0.0,
			"reasoning_tokens": 0.0, "cost_usd": 0.1, "partial": false, "unpriced": false}
	}
	if err := check("Usage", usage()); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"input_tokens": "1", "cost_usd": "0.1", "partial": nil} {
		wrong := usage()
		wrong[name] = value
		if check("Usage", wrong) == nil {
			t.Errorf("%s may be %v", name, value)
		}
	}
	part := func(kind string) map[string]any { return map[string]any{"type": kind, "input": []any{1.0, "a"}} }
	if err := check("Part", part("text")); err != nil {
		t.Error(err)
	}
	if check("Part", part("picture")) == nil {
		t.Error("a part may be of a type that there is not")
	}
}

// docs/http-api.md holds a generated list of the routes.
func TestDocsListTheRoutes(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "http-api.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), docsBegin)
	_, after, closed := strings.Cut(rest, docsEnd)
	if !ok || !closed {
		t.Fatalf("%s lacks %q or %q", path, docsBegin, docsEnd)
	}
	want := before + docsBegin + routesPage() + docsEnd + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("%s is out of date: run go test ./internal/httpapi -run TestDocs -update\n(-now +file):\n%s", path, diff)
	}
}

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server that is named is used as it is, if it is one.
func TestServerThatIsNamed(t *testing.T) {
	models := http.NewServeMux()
	models.HandleFunc("GET /v1/models", func(http.ResponseWriter, *http.Request) {})
	for _, tt := range []struct {
		name    string
		handler http.Handler
		fail    string // a part of the error
	}{
		{"an embedding server", models, ""},
		{"another server", http.NotFoundHandler(), "/v1/models answers 404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			named := httptest.NewServer(tt.handler)
			defer named.Close()
			t.Setenv(provider.Variable, named.URL)
			server, err := start(t.Context())
			switch {
			case tt.fail == "" && (err != nil || server.Value != named.URL):
				t.Errorf("start = %v, %v; want %s", server, err, named.URL)
			case tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail) || !strings.Contains(err.Error(), provider.Variable)):
				t.Errorf("start fails with %v; want %q and the variable's name", err, tt.fail)
			}
		})
	}
}

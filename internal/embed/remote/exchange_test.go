package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/internal/embed"
)

// Neither texts nor the key go anywhere but to the target, through our own
// transport as well.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		target := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		defer target.Close()
		p := protocol
		p.Request = func(texts []string) any { return texts }
		p.Failure = func(Refusal) (string, error) { return "", nil }
		e, err := New(p, Options{Target: target.URL, Model: "m", Key: "sk-0123456789"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Embed(t.Context(), embed.ForDocument, []string{"a text"})
		if !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), elsewhere.URL) {
			t.Errorf("HTTP %d: %v; want ErrRefused and where it leads", status, err)
		}
	}
}

// An answer that breaks off may be whole the next time.
func TestBrokenAnswer(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("[1,")) // the client sees it end too early
	}))
	defer target.Close()
	p := protocol
	p.Request = func(texts []string) any { return texts }
	e, err := New(p, Options{Target: target.URL, Model: "m", Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Embed(t.Context(), embed.ForDocument, []string{"a text"})
	if !errors.Is(err, embed.ErrUnreachable) || !strings.Contains(err.Error(), "breaks off") {
		t.Errorf("Embed fails with %v; want ErrUnreachable", err)
	}
}

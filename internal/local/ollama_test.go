package local

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/embed/embedtest"
)

func serverAt(t *testing.T, h http.Handler) *Server {
	t.Helper()
	at := httptest.NewServer(h)
	t.Cleanup(at.Close)
	s, err := NewServer(strings.TrimPrefix(at.URL, "http://")) // as people write it
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTargetsThatAreNone(t *testing.T) {
	for _, target := range []string{"", "http://", "http://ada:s3cret@host:port"} {
		if _, err := NewServer(target); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v; want an error", target, err)
		}
	}
}

// What answers may be anything, or nothing.
func TestWhatIsNoOllama(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"a web page":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"other JSON":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") },
		"a refusal":     func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":"no"}`, http.StatusForbidden) },
		"a broken line": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
	} {
		if version, err := serverAt(t, h).Version(t.Context()); err == nil || version != "" {
			t.Errorf("%s: version %q, %v; want an error", name, version, err)
		}
	}
	s, err := NewServer("http://ada:s3cret@127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Version(t.Context()); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("nobody listens: %v; want an error without the password", err)
	}
}

func TestPullsThatFail(t *testing.T) {
	for lines, says := range map[string]string{
		"":                              "it broke off",
		`{"status":"pulling manifest"}`: "it broke off",
		`{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file does not exist"}`: "file does not exist",
		`<html>`: "can't be read",
		`{"status":"success"}` + "\n" + `{"status":"pulling a"}`: "it broke off",
	} {
		s := serverAt(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, lines) }))
		if err := s.Pull(t.Context(), "m", nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", lines, err, says)
		}
	}
}

func TestPull(t *testing.T) {
	library := embedtest.NewLibrary()
	s := serverAt(t, library)
	has := func(want bool) {
		t.Helper()
		if got, err := s.Has(t.Context(), "embeddinggemma"); got != want || err != nil {
			t.Errorf("has the model: %v, %v; want %v", got, err, want)
		}
	}
	if version, err := s.Version(t.Context()); version != "0.12.6" || err != nil {
		t.Errorf("version %q, %v", version, err)
	}
	has(false)
	var told [][2]uint64
	if err := s.Pull(t.Context(), "embeddinggemma", func(done, total uint64, what string) { told = append(told, [2]uint64{done, total}) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]uint64{{0, 1000}, {300, 1000}, {1000, 1000}, {1024, 1024}}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	has(true)
}

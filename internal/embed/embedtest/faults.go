package embedtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/remote"
)

// expected is what an embedder makes of a fault.
type expected struct {
	fault    Fault
	is       error
	says     string // a part of the error
	requests int    // that the server gets until the embedder gives up
}

// everywhere are the faults that embedders take alike, whatever they speak.
var everywhere = []expected{
	{WrongPath, embed.ErrRefused, "look at the target", 1},
	{Unauthorized, embed.ErrUnauthorized, "HTTP 401", 1},
	{ModelMissing, embed.ErrModelMissing, "HTTP 404", 1},
	{RateLimit, embed.ErrUnreachable, "HTTP 429", 2}, // a third one would come too late
	{Busy, embed.ErrUnreachable, "HTTP 503", 4},
	{Crashed, embed.ErrUnreachable, "HTTP 500", 4},
	{Down, embed.ErrUnreachable, "connection reset", 4},
	{Slow, embed.ErrUnreachable, "no answer within 25s", 2}, // nor does it begin after 30 s
	{OtherWidth, embed.ErrWidth, "expected", 1},
	{FewerVectors, embed.ErrRefused, "expected 2 vectors", 1},
	{NotJSON, embed.ErrRefused, "invalid character '<'", 1},
	{Huge, embed.ErrRefused, "more than", 1},
	{Elsewhere, embed.ErrRefused, "leads to http://elsewhere.test/take;", 1},
}

// RunFaults checks what an embedder makes of each fault of a server, that it works
// again once the server is mended, and that no error has the key in it.
func RunFaults(t *testing.T, server func() *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	for _, want := range everywhere {
		t.Run(want.says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := server()
				e := make(t, remote.Options{Key: s.Key, Transport: s, Timeout: 25 * time.Second})
				must(t, e, embed.ForDocument, "it works")
				s.Break(want.fault)
				before := len(s.Requests())
				_, err := e.Embed(t.Context(), embed.ForDocument, ordinary[:2])
				if !errors.Is(err, want.is) || !strings.Contains(err.Error(), want.says) {
					t.Errorf("Embed fails with %v; want %v and %q", err, want.is, want.says)
				}
				if got := len(s.Requests()) - before; got != want.requests {
					t.Errorf("the server is asked %d times; want %d", got, want.requests)
				}
				silent(t, err, s.Key)
				s.Mend()
				must(t, e, embed.ForDocument, ordinary...)
			})
		})
	}
	t.Run("a query is tried once, and for ten seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { testQuery(t, server(), make) })
	})
	t.Run("a fault that passes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { testPassing(t, server(), make) })
	})
	t.Run("a context that ends while waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { testWaiting(t, server(), make) })
	})
	t.Run("a text that is refused", func(t *testing.T) { testRefusedText(t, server(), make) })
	t.Run("a key that is repeated", func(t *testing.T) { testRepeatedKey(t, server(), make) })
}

func testQuery(t *testing.T, s *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	e := make(t, remote.Options{Key: s.Key, Transport: s})
	for _, fault := range []Fault{Busy, Slow} {
		s.Break(fault)
		before, began := len(s.Requests()), time.Now()
		_, err := e.Embed(t.Context(), embed.ForQuery, []string{"where is it?"})
		if took := time.Since(began); !errors.Is(err, embed.ErrUnreachable) || took > 10*time.Second {
			t.Errorf("Embed fails with %v after %v; want ErrUnreachable after 10 s at most", err, took)
		}
		if got := len(s.Requests()) - before; got != 1 {
			t.Errorf("a query is sent %d times; want 1", got)
		}
	}
}

func testPassing(t *testing.T, s *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	e := make(t, remote.Options{Key: s.Key, Transport: s})
	for _, test := range []struct {
		fault    Fault
		times    int
		min, max time.Duration
	}{
		{Down, 3, 3 * time.Second, 8 * time.Second},
		{Busy, 1, time.Second / 2, time.Second},
		{RateLimit, 1, 20 * time.Second, 21 * time.Second}, // as it asks for
	} {
		s.BreakTimes(test.fault, test.times)
		began := time.Now()
		must(t, e, embed.ForDocument, ordinary...)
		if took := time.Since(began); took < test.min || took > test.max {
			t.Errorf("after fault %d, %d times, Embed takes %v; want %v to %v", test.fault, test.times, took, test.min, test.max)
		}
	}
}

func testWaiting(t *testing.T, s *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	e := make(t, remote.Options{Key: s.Key, Transport: s})
	s.Break(RateLimit)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Second, cancel)
	if _, err := e.Embed(ctx, embed.ForDocument, ordinary); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed fails with %v; want context.Canceled", err)
	}
}

// testRefusedText: which text is refused is found out, though no server says.
func testRefusedText(t *testing.T, s *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	e := make(t, remote.Options{Key: s.Key, Transport: s})
	s.Window = 1000
	for at := range ordinary {
		texts := append([]string(nil), ordinary...)
		texts[at] = strings.Repeat("long ", 300)
		_, err := e.Embed(t.Context(), embed.ForDocument, texts)
		var long *embed.TooLongError
		if !errors.As(err, &long) || long.Text != at {
			t.Errorf("Embed fails with %#v; want a *TooLongError for text %d", err, at)
		}
	}
	s.Window = 8192
	for _, fault := range []Fault{NoVector, NoNumbers} {
		s.Break(fault)
		_, err := e.Embed(t.Context(), embed.ForDocument, ordinary[:1])
		var none *embed.TextError
		if !errors.As(err, &none) || none.Text != 0 {
			t.Errorf("Embed fails with %#v; want a *TextError for text 0", err)
		}
	}
}

// testRepeatedKey: a server that repeats the key, whole or masked, finds no echo.
func testRepeatedKey(t *testing.T, s *Server, make func(*testing.T, remote.Options) embed.Embedder) {
	const key = "sk-secret-0123456789"
	e := make(t, remote.Options{Key: key, Transport: s})
	for _, body := range []string{
		`{"error":{"message":"Incorrect API key provided: ` + key + `."}}`,
		`{"error":"no access for ` + key + `"}`, `{"detail":"` + key + `"}`, key + ": denied",
		`{"error":{"message":"bad key sk-secre********6789"}}`,
	} {
		for _, status := range []int{200, 302, 400, 401, 403, 404, 429, 500} {
			s.Reply(Reply{Status: status, Header: map[string]string{"Location": "http://u:" + key + "@h/x?key=" + key}, Body: body})
			_, err := e.Embed(t.Context(), embed.ForQuery, []string{"a query"})
			silent(t, err, key)
		}
	}
}

// silent checks that there is an error, without the key in it or the end that
// servers show of it.
func silent(t *testing.T, err error, key string) {
	t.Helper()
	if err == nil {
		t.Fatal("Embed does not fail")
	}
	if key != "" && (strings.Contains(err.Error(), key) || strings.Contains(err.Error(), key[len(key)-4:])) {
		t.Errorf("the error repeats the key: %v", err)
	}
}

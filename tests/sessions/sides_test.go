package sessions

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/corpustest"
	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/httpapi"
	"tapedeck/internal/mcpserver"
	"tapedeck/internal/sample"
	"tapedeck/internal/search"
	"tapedeck/internal/sessiontest"
	"tapedeck/internal/store"
	"tapedeck/internal/store/open"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/storetest"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/registry"
)

// logs are the folders that the tests import, by name.
var logs = map[string]func(*testing.T) string{
	"made up": func(t *testing.T) string {
		dir := t.TempDir()
		_, err := sample.WriteSessions(dir)
		if err == nil {
			_, err = sessiontest.WriteRare(dir)
		}
		if err == nil {
			_, err = sessiontest.Logs{Sessions: 24, Turns: 4, Prompt: 300, Result: 3000}.Write(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	},
	"corpus": func(t *testing.T) string { return corpustest.Path(t, "agents") },
}

// A side is a store with an archive over it.
type side struct {
	name    string
	store   store.Store
	archive *archive.Archive
	search  *search.Service
	url     string // where it is served; see serve
}

// newSide opens an archive on a fresh store.
func newSide(t testing.TB, name string, opt open.Options) *side {
	t.Helper()
	s, err := open.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(t.Context(), archive.Options{
		Store: s, Importers: registry.All(),
		Environment: transcript.Environment{Home: t.TempDir(), Getenv: func(string) string { return "" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("close %s: %v", name, err)
		}
	})
	found, err := search.Open(t.Context(), search.Options{Store: s.(storetest.IndexedStore), Embedder: builtin.New()})
	if err != nil {
		t.Fatal(err)
	}
	return &side{name: name, store: s, archive: a, search: found}
}

// bothSides are a fresh store of each kind.
func bothSides(t testing.TB) [2]*side {
	t.Helper()
	dsn := postgrestest.NewDatabase(t) // may skip
	return [2]*side{newSide(t, "SQLite", open.Options{Dir: t.TempDir()}), newSide(t, "PostgreSQL", open.Options{Postgres: dsn})}
}

// take imports, and fails the test where records could not be derived.
func (s *side) take(t testing.TB, r archive.ImportRequest) *archive.ImportResult {
	t.Helper()
	result, err := s.archive.Import(context.WithoutCancel(t.Context()), r, nil)
	if err != nil {
		t.Fatalf("%s: import %v: %v", s.name, r.Paths, err)
	}
	if len(result.Broken) > 0 || result.Totals.Failed > 0 {
		t.Errorf("%s: import %v: broken %v, failed %d", s.name, r.Paths, result.Broken, result.Totals.Failed)
	}
	return result
}

// dump is all that the store holds.
func (s *side) dump(t testing.TB) string {
	t.Helper()
	text, err := storetest.Dump(t.Context(), s.store)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return text
}

// sound checks the store.
func (s *side) sound(t testing.TB) {
	t.Helper()
	if result, err := s.archive.Check(t.Context()); err != nil || !result.Sound {
		t.Errorf("%s is not sound: %v %+v", s.name, err, result)
	}
}

// serve serves the archive for the time of the test.
func (s *side) serve(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- httpapi.Serve(ctx, httpapi.Options{
			Listen: "127.0.0.1:0", Archive: s.archive, Search: s.search, Version: "1",
			MCP: mcpserver.New(nil, mcpserver.Options{Version: "1", Archive: s.archive}),
		}, func(a net.Addr) { at <- a.String() })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("%s: serve: %v", s.name, err)
		}
	})
	select {
	case address := <-at:
		s.url = "http://" + address
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
}

// A client asks both sides the same, and compares what they say.
type client struct {
	t      testing.TB
	sides  [2]*side
	http   *http.Client
	asked  atomic.Int64
	bytes  atomic.Int64
	differ atomic.Int64
	used   sync.Map // operations and their parameters that were asked for: "GET /v1/sessions limit"
}

// mostDiffers is how many differences are shown.
const mostDiffers = 8

func newClient(t testing.TB, sides [2]*side) *client {
	for _, s := range sides {
		s.serve(t)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, sides: sides, http: &http.Client{Transport: transport}}
}

// An answer is what both sides said.
type answer struct {
	status int
	body   []byte
}

// A request is for one operation of the API, as the table of routes names it.
type request struct {
	operation string   // "GET /v1/sessions/{id}"
	ids       []string // for what is in braces
	query     url.Values
	body      string
}

func (r request) path() string {
	_, path, _ := strings.Cut(r.operation, " ")
	for _, id := range r.ids {
		from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:from] + url.PathEscape(id) + path[to+1:]
	}
	if len(r.query) > 0 {
		path += "?" + r.query.Encode()
	}
	return path
}

func (r request) String() string {
	method, _, _ := strings.Cut(r.operation, " ")
	return method + " " + r.path() + " " + r.body
}

// ask asks both sides at once. What differs fails the test; the first side's
// answer is returned.
func (c *client) ask(r request) answer {
	c.t.Helper()
	c.used.Store(r.operation, true)
	for name := range r.query {
		c.used.Store(r.operation+" "+name, true)
	}
	var answers [2]answer
	var heads [2]string
	var both sync.WaitGroup
	for i, s := range c.sides {
		both.Go(func() { answers[i], heads[i] = c.send(s, r) })
	}
	both.Wait()
	c.asked.Add(1)
	c.bytes.Add(int64(len(answers[0].body)))
	if answers[0].status != answers[1].status || heads[0] != heads[1] || !bytes.Equal(answers[0].body, answers[1].body) {
		c.report(r, answers, heads)
	}
	return answers[0]
}

func (c *client) report(r request, answers [2]answer, heads [2]string) {
	c.t.Helper()
	if c.differ.Add(1) > mostDiffers {
		c.t.Errorf("%s: the answers differ too", r)
		return
	}
	at := 0
	a, b := answers[0].body, answers[1].body
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	around := func(text []byte) string {
		return string(text[min(max(0, at-200), len(text)):min(at+200, len(text))])
	}
	c.t.Errorf("%s: the answers differ from byte %d on (-%s +%s):\n%s", r, at, c.sides[0].name, c.sides[1].name,
		cmp.Diff(fmt.Sprint(answers[0].status, " ", heads[0], " …", around(a)), fmt.Sprint(answers[1].status, " ", heads[1], " …", around(b))))
}

// send asks one side, and returns what of the head tells what the answer is.
func (c *client) send(s *side, r request) (answer, string) {
	method, _, _ := strings.Cut(r.operation, " ")
	sent, err := http.NewRequest(method, s.url+r.path(), strings.NewReader(r.body))
	if err != nil {
		c.t.Errorf("%s: %v", r, err)
		return answer{}, ""
	}
	got, err := c.http.Do(sent)
	if err != nil {
		c.t.Errorf("%s: %s: %v", s.name, r, err)
		return answer{}, ""
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		c.t.Errorf("%s: %s: %v", s.name, r, err)
	}
	return answer{got.StatusCode, body}, got.Header.Get("Content-Type") + " " + got.Header.Get("Content-Disposition")
}

// must is ask for what is there.
func (c *client) must(r request) []byte {
	c.t.Helper()
	a := c.ask(r)
	if a.status != http.StatusOK {
		c.t.Errorf("%s: %d %.300s", r, a.status, a.body)
	}
	return a.body
}

package httpapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/deck"
)

func TestServeRefusesToBeExposed(t *testing.T) {
	for _, tc := range []struct {
		listen  string
		opt     Options
		exposed bool
	}{
		{"127.0.0.1:0", Options{}, false},
		{"[::1]:0", Options{}, false},
		{"localhost:0", Options{}, false},
		{"127.8.9.1:0", Options{}, false},
		{"0.0.0.0:0", Options{}, true},
		{":0", Options{}, true},
		{"[::]:0", Options{}, true},
		{"192.0.2.1:0", Options{}, true},
		{"robot.example:0", Options{}, true},
		{"localhost.example:0", Options{}, true},
		{"0.0.0.0:0", Options{Token: "t"}, false},
		{"0.0.0.0:0", Options{Insecure: true}, false},
	} {
		tc.opt.Listen = tc.listen
		err := checkExposure(tc.opt)
		if got := errors.Is(err, ErrExposed); got != tc.exposed {
			t.Errorf("%s %+v: %v", tc.listen, tc.opt, err)
		}
		if tc.exposed && !strings.Contains(err.Error(), "--insecure") {
			t.Errorf("%v does not say what to do", err)
		}
	}
}

func TestServeExplainsBadAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, says := range map[string]string{
		taken.Addr().String(): "choose another port with --api-listen",
		"8081":                "give HOST:PORT",
		"":                    "give HOST:PORT",
	} {
		err := Serve(t.Context(), Options{Listen: address, MCP: testServer(&fake{})}, nil)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", address, err, says)
		}
	}
}

func TestServeStopsWhenTold(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Options{Listen: "127.0.0.1:0", MCP: testServer(&fake{})}, func(a net.Addr) { ready <- a })
	}()
	base := "http://" + (<-ready).String()
	response, err := http.Get(base + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != http.StatusOK || string(body) != "ready\n" {
		t.Errorf("readyz: %d %q", response.StatusCode, body)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Serve ended with %v", err)
		}
	case <-time.After(shutdownTimeout):
		t.Fatal("Serve did not end")
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
		t.Error("the port is still open")
	}
}

// A client whose call is cut off without a word may take its whole session for lost.
func TestCallsThatOutlastTheServerAreAnswered(t *testing.T) {
	for _, accept := range []string{"application/json", "text/event-stream"} {
		ops, started, _ := waiting()
		s := newService(Options{MCP: testServer(ops)})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server, endCalls := s.server(t.Context())
		go server.Serve(listener)
		stopped := make(chan error, 1)
		go func() {
			<-started
			stopped <- s.stop(server, endCalls, 10*time.Millisecond)
		}()
		request, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+listener.Addr().String()+"/v1/mcp", strings.NewReader(longQuery))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", accept)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%s: no answer: %v", accept, err)
		}
		if text := read(t, response); !strings.Contains(text, `"id":"q7"`) || !strings.Contains(text, deck.CodeCancelled) {
			t.Errorf("%s: answer %q, want that the call was cancelled", accept, text)
		}
		response.Body.Close()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}
}

func TestNotReadyWhileStopping(t *testing.T) {
	s := newService(Options{MCP: testServer(&fake{})})
	s.draining.Store(true)
	got := do(t, s.handler(), "GET", "/readyz", "", nil)
	wantFailure(t, got, http.StatusServiceUnavailable, "not_ready")
}

// Package httpapi serves tapedeck over HTTP: MCP at /v1/mcp, the API of agent
// sessions, its description, health checks and metrics.
//
// # What it promises
//
// A bare JSON-RPC request posted to /v1/mcp, without initialize, session or
// protocol headers, gets a plain JSON answer. Clients that accept
// text/event-stream get that instead, with progress on the way. All protocol
// versions of the Go SDK are served, and none needs a session: a client goes on
// when the server was restarted under it. Notifications are taken, be they known
// or not, and a call that the end of the server cuts short is answered.
//
// It listens on loopback unless told otherwise, and then only with a token or
// with Insecure. Host and Origin are checked on every request, so that a web
// page can't reach it through the visitor's browser. Failures are JSON,
// {"code", "error"}.
//
// # What it does not
//
// It has no TLS; a proxy in front can give that. It logs neither bodies nor
// headers.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
)

const (
	// maxBody is the most that a request may bring. SQL and arguments are far smaller.
	maxBody = 4 << 20

	headerTimeout   = 10 * time.Second
	bodyTimeout     = 30 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second // for calls that run when the server is stopped
	answerTimeout   = 2 * time.Second // for those that were then ended, to say so
	maxHeaderBytes  = 64 << 10
)

// ErrExposed: an address beyond loopback, and nothing that guards it.
var ErrExposed = errors.New("the address can be reached from other machines")

// Options say what to serve, where, and to whom.
type Options struct {
	Listen       string   // host:port; port 0 takes a free one
	Token        string   // that clients must send as a bearer; empty: none
	Insecure     bool     // listen beyond loopback without a token
	AllowedHosts []string // names by which clients may call the server besides loopback's
	MCP          *mcp.Server
	Archive      archive.Operations // nil: no agent sessions
	Search       search.Operations  // nil: no search
	Version      string             // of the program
	Log          *slog.Logger       // nil: none
}

// Serve listens and answers until ctx is done, then lets running calls end for
// a moment and ends those that don't. It calls ready, unless nil, once clients
// can connect.
func Serve(ctx context.Context, opt Options, ready func(net.Addr)) error {
	if err := checkExposure(opt); err != nil {
		return err
	}
	listener, err := listen(ctx, opt.Listen)
	if err != nil {
		return err
	}
	s := newService(opt)
	server, endCalls := s.server(ctx)
	defer endCalls()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready(listener.Addr())
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	return s.stop(server, endCalls, shutdownTimeout)
}

// server is the HTTP server of the service, and what ends the calls that it
// runs, which ctx does not.
func (s *service) server(ctx context.Context) (server *http.Server, endCalls context.CancelFunc) {
	life, endCalls := context.WithCancel(context.WithoutCancel(ctx))
	return &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return withLife(context.Background(), life) },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}, endCalls
}

// stop lets running calls end by themselves for as long as grace, then ends
// them. Their callers are told: some clients take a connection that is cut
// without an answer for the end of their session.
func (s *service) stop(server *http.Server, endCalls context.CancelFunc, grace time.Duration) error {
	s.draining.Store(true)
	if shutdown(server, grace) == nil {
		return nil
	}
	endCalls()
	if shutdown(server, answerTimeout) == nil {
		return nil
	}
	return server.Close()
}

func shutdown(server *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return server.Shutdown(ctx)
}

// A service is one set of options at work.
type service struct {
	opt      Options
	log      *slog.Logger
	routes   []route
	metrics  *metrics
	draining atomic.Bool // being stopped: not ready for new clients
}

func newService(opt Options) *service {
	log := opt.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &service{opt: opt, log: log, routes: routes, metrics: newMetrics(opt.Archive, opt.Search)}
}

// checkExposure refuses an address beyond loopback that nothing guards.
func checkExposure(opt Options) error {
	host, _, err := net.SplitHostPort(opt.Listen)
	if err != nil {
		return fmt.Errorf("listen address %q: %w; give HOST:PORT, such as 127.0.0.1:8081", opt.Listen, err)
	}
	if isLoopback(host) || opt.Token != "" || opt.Insecure {
		return nil
	}
	return fmt.Errorf("listen on %s: %w: set auth_token (TAPEDECK_AUTH_TOKEN), listen on 127.0.0.1, "+
		"or accept the risk with --insecure", opt.Listen, ErrExposed)
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: another program, maybe another tapedeck, serves there: "+
			"use that one, stop it, or choose another port with --api-listen (port 0 takes a free one)", err)
	}
	return listener, err
}

package cli

import (
	"context"
	"log/slog"
	"net"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	"tapedeck/internal/httpapi"
	"tapedeck/internal/search"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve recordings and agent sessions over HTTP",
		Long: `Serve clients of the Model Context Protocol over HTTP, at /v1/mcp, and agent
sessions at /v1/sessions, the search at /v1/search/spans, until interrupted.
/openapi.json tells all there is.

Meanwhile the sessions that agents write on this machine are taken in, and can be
searched, as they grow; --import off leaves that to tapedeck import.

It listens on loopback. On any other address it needs a token, which clients
send as a bearer (TAPEDECK_AUTH_TOKEN), or --insecure. Clients reach files in
the data folders only.`,
		Example: `  tapedeck serve --data-dir ~/recordings
  curl -s 'http://127.0.0.1:8081/v1/sessions?limit=5'
  curl -s http://127.0.0.1:8081/v1/mcp -H 'Content-Type: application/json' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withServed(cmd.Context(), confine, func(s served) error { return serve(cmd.Context(), s) })
		},
	}
}

// serve answers clients; beside that it imports, and keeps the index up to date.
func serve(ctx context.Context, s served) error {
	return s.indexing(ctx, func(ctx context.Context) error { return s.serve(ctx) })
}

func (s served) serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var importing sync.WaitGroup
	defer importing.Wait() // the archive is closed behind it
	defer stop()
	opt := httpOptions(s.config, newMCPServer(s), s.operations(), s.searching(), s.log)
	return httpapi.Serve(ctx, opt, func(at net.Addr) {
		s.log.Info("serving MCP", keyURL, "http://"+at.String()+"/v1/mcp", keyFolders, s.config.DataDirs)
		if s.imports() {
			importing.Go(func() {
				if err := s.archive.Watch(ctx); err != nil {
					s.log.Error("importing ended", keyError, err)
				}
			})
		}
	})
}

// imports reports whether agents' sessions are taken in while serving.
func (s served) imports() bool {
	return s.archive != nil && s.config.Import == config.ImportAuto
}

func httpOptions(c *config.Config, server *mcp.Server, ops archive.Operations, searching search.Operations, log *slog.Logger) httpapi.Options {
	return httpapi.Options{
		Listen:       c.APIListen,
		Token:        c.AuthToken,
		Insecure:     c.Insecure,
		AllowedHosts: c.AllowedHosts,
		MCP:          server,
		Archive:      ops,
		Search:       searching,
		Version:      buildInfo().Version,
		Log:          log,
	}
}

// confine keeps clients that come over the network to the data folders.
func confine(opt *deck.Options) { opt.Confined = true }

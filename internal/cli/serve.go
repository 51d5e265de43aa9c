package cli

import (
	"log/slog"
	"net"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	"tapedeck/internal/httpapi"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP clients over HTTP",
		Long: `Serve clients of the Model Context Protocol over HTTP, at /v1/mcp, until
interrupted.

It listens on loopback. On any other address it needs a token, which clients
send as a bearer (TAPEDECK_AUTH_TOKEN), or --insecure. Clients reach files in
the data folders only.`,
		Example: `  tapedeck serve --data-dir ~/recordings
  curl -s http://127.0.0.1:8081/v1/mcp -H 'Content-Type: application/json' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withServedDeck(confine, func(s session, c *config.Config, log *slog.Logger) error {
				return httpapi.Serve(cmd.Context(), httpOptions(c, newMCPServer(s, c, log), log), func(at net.Addr) {
					log.Info("serving MCP", keyURL, "http://"+at.String()+"/v1/mcp", keyFolders, c.DataDirs)
				})
			})
		},
	}
}

func httpOptions(c *config.Config, server *mcp.Server, log *slog.Logger) httpapi.Options {
	return httpapi.Options{
		Listen:       c.APIListen,
		Token:        c.AuthToken,
		Insecure:     c.Insecure,
		AllowedHosts: c.AllowedHosts,
		MCP:          server,
		Log:          log,
	}
}

// confine keeps clients that come over the network to the data folders.
func confine(opt *deck.Options) { opt.Confined = true }

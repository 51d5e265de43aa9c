package cli

import (
	"context"
	"log/slog"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/config"
	"tapedeck/internal/mcpserver"
	"tapedeck/internal/search"
)

func newMCP(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one MCP client over stdio",
		Long: `Serve one client of the Model Context Protocol on stdin and stdout. MCP clients
start this command themselves: see tapedeck mcp install.`,
		Example: `  tapedeck mcp --data-dir ~/recordings`,
		Args:    unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withServed(cmd.Context(), nil, func(s served) error {
				return s.indexing(cmd.Context(), func(ctx context.Context) error {
					return mcpserver.RunStdio(ctx, newMCPServer(s))
				})
			})
		},
	}
	cmd.AddCommand(newMCPInstall(a))
	return cmd
}

func newMCPServer(s served) *mcp.Server {
	return mcpserver.New(s.deck, mcpOptions(s.config, s.operations(), s.searching(), s.log))
}

// mcpOptions are those of a server with the tools that the settings name.
func mcpOptions(c *config.Config, ops archive.Operations, searching search.Operations, log *slog.Logger) mcpserver.Options {
	if !slices.Contains(c.Tools, config.ToolsSessions) {
		ops = nil
	}
	if !slices.Contains(c.Tools, config.ToolsSearch) {
		searching = nil
	}
	return mcpserver.Options{
		Version:        buildInfo().Version,
		MaxAnswerBytes: c.MaxAnswerBytes,
		DefaultRows:    c.DefaultRowLimit,
		MaxRows:        c.MaxRowLimit,
		Archive:        ops,
		Search:         searching,
		NoRecordings:   !slices.Contains(c.Tools, config.ToolsRecordings),
		Log:            log,
	}
}

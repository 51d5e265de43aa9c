package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RunStdio serves one client on stdin and stdout until the client leaves or ctx
// is done. Meanwhile nothing else reaches stdout: whatever this process prints
// there, be it Go code or the C++ of DuckDB, comes out on stderr, for a single
// stray line would break the client's reading of JSON-RPC.
func RunStdio(ctx context.Context, server *mcp.Server) error {
	stdout, restore, err := claimStdout()
	if err != nil {
		return fmt.Errorf("keep stdout for the protocol: %w", err)
	}
	defer restore()
	err = server.Run(ctx, &mcp.IOTransport{Reader: os.Stdin, Writer: keptOpen{stdout}})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// keptOpen is a writer that the transport can't close: stdout is given back.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

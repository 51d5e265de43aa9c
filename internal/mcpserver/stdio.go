package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RunStdio serves one client on stdin and stdout until the client has left and
// its calls are answered, or ctx is done, which cancels them. Meanwhile nothing
// else reaches stdout: whatever this process prints there, be it Go code or the
// C++ of DuckDB, comes out on stderr, for a single stray line would break the
// client's reading of JSON-RPC.
func RunStdio(ctx context.Context, server *mcp.Server) error {
	stdout, restore, err := claimStdout()
	if err != nil {
		return fmt.Errorf("keep stdout for the protocol: %w", err)
	}
	defer restore()
	return runLines(ctx, server, &lines{
		ctx: ctx, in: os.Stdin, out: stdout,
		gone: func() bool { return hungUp(stdout) },
	})
}

func runLines(ctx context.Context, server *mcp.Server, t *lines) error {
	// A session of its own context: the SDK would not let its calls see that ctx ends.
	session, err := server.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return err
	}
	if err := session.Wait(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

package httpapi

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callerKey is where a context keeps the life of the caller.
type callerKey struct{}

// lifeKey is where a context keeps the life of the server.
type lifeKey struct{}

// withLife returns a context for requests to a server that ends calls, though
// not their connections, when life is done.
func withLife(ctx, life context.Context) context.Context {
	return context.WithValue(ctx, lifeKey{}, life)
}

// callerOf is the life of who sent a request with ctx, which the end of the
// server's life ends too.
func callerOf(ctx context.Context) (caller context.Context, leave context.CancelFunc) {
	caller, cancel := context.WithCancel(ctx)
	life, ok := ctx.Value(lifeKey{}).(context.Context)
	if !ok {
		return caller, cancel
	}
	stop := context.AfterFunc(life, cancel)
	return caller, func() {
		stop()
		cancel()
	}
}

// withCaller returns a context whose MCP calls end when caller is done, on a
// server that has untilCallerLeaves.
//
// The SDK cuts a call's context off from that of the HTTP request that brought
// it, but keeps its values. A stateless server can't send an answer later, so
// without this a query would run on for a caller who has left.
func withCaller(ctx, caller context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// untilCallerLeaves ends calls with their callers.
func untilCallerLeaves(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		caller, ok := ctx.Value(callerKey{}).(context.Context)
		if !ok {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(caller, cancel)()
		return next(ctx, method, req)
	}
}

package httpapi

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callerKey is where a context keeps the life of the caller.
type callerKey struct{}

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

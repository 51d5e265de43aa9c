package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLog is the log for the SDK, which tells at INFO of every connection (over
// HTTP, every request) and at ERROR of clients' mistakes. All of it goes one
// level down.
func sdkLog(log *slog.Logger) *slog.Logger { return slog.New(quieter{log.Handler()}) }

type quieter struct{ slog.Handler }

func lower(l slog.Level) slog.Level { return l - (slog.LevelInfo - slog.LevelDebug) }

// Enabled implements [slog.Handler].
func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, lower(l))
}

// Handle implements [slog.Handler].
func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lower(r.Level)
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{q.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.Handler.WithGroup(name)} }

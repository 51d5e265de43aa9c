package mcpserver

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// A client that comes and goes is no news: over HTTP there is one a request.
func TestConversationsAreLoggedForDebuggingOnly(t *testing.T) {
	for level, want := range map[slog.Level]bool{slog.LevelInfo: false, slog.LevelDebug: true} {
		var logged, out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: level}))
		server := New(&fake{}, Options{Log: log.With("on", "stdio")})
		if err := runLines(t.Context(), server, &lines{ctx: t.Context(), in: strings.NewReader(greeting + oneCall), out: &out, gone: stays}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(logged.String(), "server session connected"); got != want {
			t.Errorf("at %v the log has %q", level, logged.String())
		}
		if !want && logged.Len() > 0 {
			t.Errorf("at %v the log has %q", level, logged.String())
		}
		if want && strings.Contains(logged.String(), "level=INFO") {
			t.Errorf("at %v the log has %q", level, logged.String())
		}
	}
}

package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"

	"tapedeck/internal/config"
)

// Keys of what the commands log.
const (
	keyURL     = "url"
	keyFolders = "folders"
	keyFolder  = "folder"
	keyError   = "error"
)

// newLogger makes the log that the settings ask for, on w. Unless they ask for
// a level, it holds what is told from quietest on.
func newLogger(w io.Writer, c *config.Config, quietest slog.Level) *slog.Logger {
	level := map[string]slog.Level{
		"DEBUG": slog.LevelDebug, "INFO": slog.LevelInfo, "WARNING": slog.LevelWarn, "ERROR": slog.LevelError,
	}[c.LogLevel]
	if !c.IsSet("log_level") {
		level = quietest
	}
	if c.LogFormat == "json" || c.LogFormat == "auto" && !isTerminal(w) {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(newTextHandler(w, level))
}

// textHandler writes lines for people: time, level, message, then the
// attributes as slog's own text handler writes them.
type textHandler struct {
	attrs slog.Handler // writes to line
	out   *textOutput
}

// textOutput is what the handlers made from one another share.
type textOutput struct {
	mu   sync.Mutex
	w    io.Writer
	line bytes.Buffer
}

func newTextHandler(w io.Writer, level slog.Leveler) *textHandler {
	out := &textOutput{w: w}
	attrs := slog.NewTextHandler(&out.line, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
				return slog.Attr{}
			}
			return a
		},
	})
	return &textHandler{attrs: attrs, out: out}
}

// Enabled reports whether records of level are written.
func (h *textHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.attrs.Enabled(ctx, level)
}

// Handle writes a record.
func (h *textHandler) Handle(ctx context.Context, r slog.Record) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	line := &h.out.line
	line.Reset()
	line.WriteString(r.Time.Format("15:04:05") + " " + r.Level.String() + " " + visible(r.Message) + " ")
	if err := h.attrs.Handle(ctx, r); err != nil {
		return err
	}
	text := append(bytes.TrimRight(line.Bytes(), " \n"), '\n')
	_, err := h.out.w.Write(text)
	return err
}

// WithAttrs returns a handler that writes attrs with every record.
func (h *textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &textHandler{attrs: h.attrs.WithAttrs(attrs), out: h.out}
}

// WithGroup returns a handler that puts what follows in a group.
func (h *textHandler) WithGroup(name string) slog.Handler {
	return &textHandler{attrs: h.attrs.WithGroup(name), out: h.out}
}

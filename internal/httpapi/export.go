package httpapi

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"

	"tapedeck/internal/archive"
)

const (
	mediaJSONL    = "application/jsonl"
	mediaMarkdown = "text/markdown; charset=utf-8"
)

// exportForms are what the formats of an export are as files.
var exportForms = map[string]struct{ mediaType, extension string }{
	archive.FormatJSONL:    {mediaJSONL, ".jsonl"},
	archive.FormatMarkdown: {mediaMarkdown, ".md"},
}

// exportSession streams a session. A failure before the first bytes is told as
// such; one behind them can only cut the connection, so that nobody takes the
// part for the whole.
func exportSession(s *service, w http.ResponseWriter, r *http.Request, args arguments) error {
	c, err := s.call(args)
	if err != nil {
		return err
	}
	ctx, leave := callerOf(r.Context())
	defer leave()
	found, err := c.ops.Session(ctx, args.text(paramID))
	if err != nil {
		return err
	}
	format := args.text("format")
	form := exportForms[format]
	w.Header().Set("Content-Type", form.mediaType)
	w.Header().Set("Content-Disposition", `attachment; filename="session-`+found.ID+form.extension+`"`)
	if r.Method == http.MethodHead {
		return nil
	}
	sent := &counted{w: w}
	out := bufio.NewWriterSize(sent, 64<<10)
	err = c.ops.Export(ctx, found.ID, format, out)
	if err == nil {
		err = out.Flush()
	}
	switch {
	case err == nil:
		return nil
	case sent.bytes == 0:
		w.Header().Del("Content-Disposition")
		return err
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "an export broke off", slog.String("session", found.ID), slog.String("error", err.Error()))
	panic(http.ErrAbortHandler)
}

// counted counts what was written.
type counted struct {
	w     io.Writer
	bytes int64
}

// Write implements [io.Writer].
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += int64(n)
	return n, err
}

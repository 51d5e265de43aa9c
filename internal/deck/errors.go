package deck

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"tapedeck/internal/library"
	"tapedeck/internal/query"
	"tapedeck/internal/recording"
)

// fileError tells why a recording can't be had.
func fileError(err error) error {
	var missing *library.NotFoundError
	var ambiguous *library.AmbiguousError
	switch {
	case errors.As(err, &missing):
		return &Error{Code: CodeFileNotFound, Message: err.Error(), Nearest: missing.Nearest, Hint: "list_recordings shows what is there", Err: err}
	case errors.As(err, &ambiguous):
		return &Error{Code: CodeFileAmbiguous, Message: err.Error(), Candidates: ambiguous.Candidates, Hint: "give one of the candidates", Err: err}
	case errors.Is(err, library.ErrForbidden):
		return &Error{Code: CodeFileForbidden, Message: err.Error(), Hint: "list_recordings shows what can be opened", Err: err}
	case errors.Is(err, recording.ErrNotRecording):
		return &Error{Code: CodeNotRecording, Message: err.Error(), Err: err}
	case errors.Is(err, recording.ErrDamaged):
		return &Error{Code: CodeFileUnreadable, Message: err.Error(), Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return &Error{Code: CodeFileUnreadable, Message: err.Error(), Hint: "check that the file is there and may be read", Err: err}
	}
	return ended(err)
}

// ended marks work that its caller gave up; all else is our fault.
func ended(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: CodeCancelled, Message: "cancelled: nothing was changed", Err: err}
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Code: CodeInternal, Message: err.Error(), Err: err}
}

// queryError tells why a statement has no answer.
func queryError(err error) *Error {
	e := &Error{Message: err.Error(), Err: err}
	switch {
	case errors.Is(err, query.ErrRefused):
		e.Code = CodeRefused
		e.Hint = "one statement that reads loaded tables: SELECT, FROM, WITH, DESCRIBE, SHOW TABLES, SUMMARIZE, PIVOT, EXPLAIN"
	case errors.Is(err, query.ErrBusy):
		e.Code = CodeTimeout
		e.Hint = "the other statements end soon: ask again"
	case errors.Is(err, query.ErrTimeout):
		e.Code = CodeTimeout
		e.Hint = "narrow the time window (WHERE timestamp_us BETWEEN …), aggregate, or load with downsample"
	case errors.Is(err, query.ErrMemory):
		e.Code = CodeMemory
		e.Hint = "narrow the time window, select fewer columns, or aggregate before joining"
	case errors.Is(err, query.ErrSQL):
		e.Code, e.Hint = CodeSQL, sqlErrorHint(e.Message)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Message = CodeCancelled, "cancelled"
	case errors.Is(err, query.ErrWorker):
		e.Code, e.Hint = CodeWorker, "the query ended its worker process; loaded tables are unharmed, a smaller query may pass"
	default:
		e.Code = CodeInternal
	}
	return e
}

// sqlErrorHints are what mends the engine's errors whose own words don't say,
// by a part of these words.
var sqlErrorHints = []struct{ words, hint string }{
	{"Referenced column", "DESCRIBE a table, or get_schema, shows its columns"},
	{"Referenced table", "SHOW TABLES lists what is loaded"},
	{"Parser Error", `check the syntax near the place shown; names that are SQL words, or have other signs than letters, digits and _, need "quotes"`},
	{"Conversion Error", "TRY_CAST(x AS type) gives NULL for values that can't be converted"},
}

func sqlErrorHint(message string) string {
	for _, h := range sqlErrorHints {
		if strings.Contains(message, h.words) {
			return h.hint
		}
	}
	return ""
}

package archive

import (
	"time"

	"tapedeck/internal/session"
)

// parseWindow reads the two ends of a span of time.
func parseWindow(since, until string) (from, to session.Time, err error) {
	from, to, err = session.Window(session.End{Argument: "since", Text: since}, session.End{Argument: "until", Text: until}, time.Now())
	if err != nil {
		err = &Error{Code: CodeArgument, Message: err.Error(), Err: err}
	}
	return from, to, err
}

package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tapedeck/internal/store"
)

// Codes of errors. They never change their meaning; package archive has the same.
const (
	CodeArgument         = "bad_argument"
	CodeSessionNotFound  = "session_not_found"
	CodeSessionAmbiguous = "session_ambiguous"
	CodeStore            = "store_unavailable"
	CodeEmbedder         = "embedder_failed" // of Index; Search answers without the embedder
	CodeCancelled        = "cancelled"
	CodeInternal         = "internal"
)

// An Error is a failure as callers see it.
type Error struct {
	Code       string   `json:"code"`
	Message    string   `json:"error"`
	Hint       string   `json:"hint,omitempty"`       // what to do next
	Nearest    []string `json:"nearest,omitempty"`    // right names, the likeliest first
	Allowed    []string `json:"allowed,omitempty"`    // values of an argument
	Candidates []string `json:"candidates,omitempty"` // of an ambiguous identifier
	Err        error    `json:"-"`
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// storeError tells why the store gave no answer.
func storeError(err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeCancelled, Message: "cancelled: what was indexed so far is kept", Err: err}
	case errors.Is(err, store.ErrNewer):
		return &Error{Code: CodeStore, Message: err.Error(), Hint: "install the newer tapedeck, or name another folder with store_dir", Err: err}
	case errors.Is(err, store.ErrUnavailable):
		return &Error{Code: CodeStore, Message: err.Error(), Hint: "check that the database runs and may be reached, and the settings postgres, vector_store_target and store_dir", Err: err}
	}
	return &Error{Code: CodeInternal, Message: err.Error(), Err: err}
}

// plainly is an error of a database without the words that it can't be reached: these
// stand for the sessions' database, and whoever calls says what can't be done.
func plainly(err error) string {
	return strings.TrimPrefix(err.Error(), store.ErrUnavailable.Error()+": ")
}

// sessionError tells why a session can't be had.
func sessionError(id string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &Error{Code: CodeSessionNotFound, Message: fmt.Sprintf("there is no session %q", id),
			Hint: "list_sessions shows what is there; at least 6 characters of an identifier are needed", Err: err}
	case errors.Is(err, store.ErrAmbiguous):
		e := &Error{Code: CodeSessionAmbiguous, Message: fmt.Sprintf("several sessions go by %q", id), Hint: "give more of the identifier", Err: err}
		if ambiguous, ok := errors.AsType[*store.AmbiguousError](err); ok {
			e.Candidates = ambiguous.Candidates
		}
		return e
	}
	return storeError(err)
}

// badArgument tells of a value that an argument can't have.
func badArgument(argument, value, want string, allowed ...string) error {
	return &Error{Code: CodeArgument, Message: fmt.Sprintf("%s %q: want %s", argument, value, want), Allowed: allowed}
}

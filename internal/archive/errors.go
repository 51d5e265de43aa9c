package archive

// Codes of errors. They never change their meaning.
const (
	CodeSessionNotFound  = "session_not_found"
	CodeSessionAmbiguous = "session_ambiguous"
	CodeTraceNotFound    = "trace_not_found"
	CodeSpanNotFound     = "span_not_found"
	CodeArgument         = "bad_argument"
	CodePath             = "path_unreadable" // what import was given
	CodeStore            = "store_unavailable"
	CodeCancelled        = "cancelled"
	CodeInternal         = "internal"
)

// An Error is a failure as callers see it.
type Error struct {
	Code       string   `json:"code"`
	Message    string   `json:"error"`
	Hint       string   `json:"hint,omitempty"`       // what to do next
	Allowed    []string `json:"allowed,omitempty"`    // values of an argument
	Candidates []string `json:"candidates,omitempty"` // of an ambiguous identifier
	Err        error    `json:"-"`
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

package library

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound: no recording has the name.
	ErrNotFound = errors.New("no such recording")
	// ErrAmbiguous: several recordings have the name.
	ErrAmbiguous = errors.New("several recordings have this name")
	// ErrForbidden: the path is outside of the data folders.
	ErrForbidden = errors.New("outside of the data folders")
)

// NotFoundError says that no recording has a name, and which come near it.
type NotFoundError struct {
	Name    string
	Reason  string   // why the name can't be one, if that is so
	Nearest []string // up to 5 names of recordings that are like it
	Folders []string // that were searched
}

// Error implements error.
func (e *NotFoundError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("%v: %q: %s", ErrNotFound, shortened(e.Name), e.Reason)
	}
	return fmt.Sprintf("%v: %q in %s", ErrNotFound, shortened(e.Name), strings.Join(e.Folders, ", "))
}

// Is makes the error an ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// AmbiguousError says that several recordings have a name.
type AmbiguousError struct {
	Name       string
	Candidates []string // names that have one recording each
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	const most = 10
	list := strings.Join(e.Candidates[:min(len(e.Candidates), most)], ", ")
	if more := len(e.Candidates) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%v: %q may be %s", ErrAmbiguous, shortened(e.Name), list)
}

// Is makes the error an ErrAmbiguous.
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }

// ForbiddenError says that a path is outside of the data folders. It does not
// tell whether anything is there.
type ForbiddenError struct {
	Folders []string // the data folders
}

// Error implements error.
func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%v: only recordings in %s may be opened", ErrForbidden, strings.Join(e.Folders, ", "))
}

// Is makes the error an ErrForbidden.
func (e *ForbiddenError) Is(target error) bool { return target == ErrForbidden }

// shortened is a name from a caller, short enough for an error.
func shortened(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

package deck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/library"
	"tapedeck/internal/query"
	"tapedeck/internal/recording"
)

func TestFailuresOfFilesHaveCodes(t *testing.T) {
	for code, err := range map[string]error{
		CodeFileNotFound:   &library.NotFoundError{Name: "x", Nearest: []string{"y"}},
		CodeFileAmbiguous:  &library.AmbiguousError{Name: "x", Candidates: []string{"a/x", "b/x"}},
		CodeFileForbidden:  &library.ForbiddenError{},
		CodeNotRecording:   fmt.Errorf("x: %w: it is text", recording.ErrNotRecording),
		CodeFileUnreadable: &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission},
		CodeCancelled:      fmt.Errorf("reading: %w", context.DeadlineExceeded),
		CodeInternal:       errors.New("a fault of ours"),
	} {
		wantError(t, code, fileError(err), code)
		if !errors.Is(fileError(err), err) {
			t.Errorf("%s: the cause is lost", code)
		}
	}
	wantError(t, "damaged", fileError(fmt.Errorf("x: %w", recording.ErrDamaged)), CodeFileUnreadable)
	inner := &Error{Code: CodeBadTime, Message: "m"}
	if ended(inner) != error(inner) {
		t.Error("an error that has its code already got another")
	}
}

func TestFailuresOfStatementsHaveCodesAndHints(t *testing.T) {
	for sentinel, code := range map[error]string{
		query.ErrRefused: CodeRefused, query.ErrSQL: CodeSQL, query.ErrTimeout: CodeTimeout, query.ErrMemory: CodeMemory,
		query.ErrWorker: CodeWorker, context.Canceled: CodeCancelled, errors.New("a fault of ours"): CodeInternal,
	} {
		e := queryError(fmt.Errorf("%w: details", sentinel))
		if e.Code != code || !errors.Is(e, sentinel) {
			t.Errorf("%v: %+v", sentinel, e)
		}
		if e.Hint == "" && code != CodeCancelled && code != CodeInternal {
			t.Errorf("%s: no hint", code)
		}
	}
}

func TestErrorsAreSentWithWhatTheyHave(t *testing.T) {
	e := &Error{Code: CodeMissingTable, Message: `table "x" is not loaded`, Hint: "load it", LoadedTables: []string{"imu"}, Err: errors.New("inner")}
	var got map[string]any
	if err := json.Unmarshal(e.JSON(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"code": "missing_table", "error": `table "x" is not loaded`, "hint": "load it", "loaded_tables": []any{"imu"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e.Error() != e.Message || strings.Contains(string(e.JSON()), "inner") {
		t.Errorf("%s", e.JSON())
	}
}

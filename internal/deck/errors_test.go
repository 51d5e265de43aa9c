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
		if e.Hint == "" && code != CodeSQL && code != CodeCancelled && code != CodeInternal {
			t.Errorf("%s: no hint", code)
		}
	}
	if busy, late := queryError(query.ErrBusy), queryError(query.ErrTimeout); busy.Code != CodeTimeout || busy.Hint == late.Hint {
		t.Errorf("busy: %+v, late: %+v", busy, late)
	}
}

// A hint that does not fit the mistake misleads: none is better.
func TestHintsOfSQLErrorsFitTheMistake(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01.mcap"})
	for sql, says := range map[string]string{
		"SELECT volts FROM battery_status":             "get_schema",
		"SELECT b.voltage FROM battery_status":         "SHOW TABLES",
		"SELEC 1":                                      "syntax",
		"SELECT 'x'::INTEGER":                          "TRY_CAST",
		"SELECT voltage, count(*) FROM battery_status": "",
		"SELECT avgg(voltage) FROM battery_status":     "",
	} {
		_, err := d.Query(t.Context(), QueryRequest{SQL: sql})
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeSQL || !strings.Contains(e.Hint, says) || says == "" && e.Hint != "" {
			t.Errorf("%s: %+v", sql, e)
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

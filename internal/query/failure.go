package query

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tapedeck/internal/duckdb"
)

// failure is an error on its way from the worker.
type failure struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Table string `json:"table,omitempty"`
}

var codes = map[string]error{
	"refused": ErrRefused,
	"sql":     ErrSQL,
	"timeout": ErrTimeout,
	"memory":  ErrMemory,
	"worker":  ErrWorker,
}

const missingCode = "missing_table"

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	var missing *MissingTableError
	if errors.As(err, &missing) {
		return &failure{missingCode, missing.Text, missing.Table}
	}
	for code, sentinel := range codes {
		if errors.Is(err, sentinel) {
			return &failure{Code: code, Text: strings.TrimPrefix(err.Error(), sentinel.Error()+": ")}
		}
	}
	return &failure{Code: "worker", Text: err.Error()}
}

func (f *failure) err() error {
	if f == nil {
		return nil
	}
	if f.Code == missingCode {
		return &MissingTableError{Table: f.Table, Text: f.Text}
	}
	sentinel, ok := codes[f.Code]
	if !ok {
		sentinel = ErrWorker
	}
	return fmt.Errorf("%w: %s", sentinel, f.Text)
}

// wallError is a statement that the gate let through and the configuration stopped.
type wallError struct{ text string }

func (e *wallError) Error() string { return ErrRefused.Error() + ": " + e.text }
func (e *wallError) Unwrap() error { return ErrRefused }

// spoils says whether a worker should not be used again after err: what the statement left
// behind is unknown.
func spoils(err error) bool {
	var wall *wallError
	return errors.As(err, &wall) || errors.Is(err, ErrMemory) || errors.Is(err, ErrTimeout) || errors.Is(err, ErrWorker)
}

// sqlError sorts a failure of the engine under the sentinels.
func sqlError(err error) error {
	var engine *duckdb.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case !errors.As(err, &engine):
		return err
	}
	text := withoutTrace(engine.Text)
	switch {
	case engine.OutOfMemory():
		return fmt.Errorf("%w: %s", ErrMemory, firstLine(text))
	case strings.HasPrefix(text, "Permission Error"):
		return &wallError{text}
	case strings.HasPrefix(text, "INTERNAL Error"), strings.HasPrefix(text, "FATAL Error"):
		return fmt.Errorf("%w: %s", ErrWorker, firstLine(text))
	default:
		return fmt.Errorf("%w: %s", ErrSQL, text)
	}
}

// withoutTrace cuts what DuckDB appends for its developers.
func withoutTrace(text string) string {
	for _, mark := range []string{"\n\nStack Trace:", "\nStack Trace:", "\nThis error signals an assertion failure"} {
		text, _, _ = strings.Cut(text, mark)
	}
	return strings.TrimSpace(text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// withoutPaths names table files as the catalog does.
func (s setup) withoutPaths(text string) string {
	for _, f := range s.Catalog.Files {
		text = strings.ReplaceAll(text, f.Path, f.Name)
		text = strings.ReplaceAll(text, filepath.Dir(f.Path)+string(filepath.Separator), "")
	}
	if s.ExportPath != "" {
		text = strings.ReplaceAll(text, s.ExportPath, filepath.Base(s.ExportPath))
	}
	return text
}

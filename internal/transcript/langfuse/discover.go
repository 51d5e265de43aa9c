package langfuse

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

var endings = []string{".json", ".jsonl", ".ndjson"}

// Claims reports whether a file begins with a trace or its observations.
func (importer) Claims(f *transcript.File) bool {
	if !slices.Contains(endings, strings.ToLower(filepath.Ext(f.Path))) {
		return false
	}
	head := bytes.TrimLeft(f.Head(), "\ufeff \t\r\n")
	if len(head) == 0 {
		return false
	}
	value := gjson.ParseBytes(head)
	if value.IsArray() {
		value = value.Get("0")
	}
	if isObservation(value.Get("observations.0")) {
		return true
	}
	trace := value.Get("trace")
	if trace.IsObject() { // the observations may be where the head does not reach
		return trace.Get("id").Type == gjson.String && (value.Get("observations").IsArray() || trace.Get("timestamp").Type == gjson.String)
	}
	return false
}

func isObservation(value gjson.Result) bool {
	return value.Get("id").Type == gjson.String && value.Get("traceId").Type == gjson.String && value.Get("startTime").Exists()
}

package otlp

import (
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

// endings are those of files that may hold traces; gzipped ones have .gz behind.
var endings = []string{".json", ".jsonl", ".ndjson", ".log"}

// Claims reports whether a file holds spans, by how it begins.
func (importer) Claims(f *transcript.File) bool {
	path := strings.TrimSuffix(strings.ToLower(f.Path), ".gz")
	if !slices.Contains(endings, filepath.Ext(path)) {
		return false
	}
	head := f.Head()
	if isGzip(head) {
		head = unzipped(head)
	}
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	if len(head) == 0 {
		return false
	}
	value := gjson.ParseBytes(head)
	if value.IsArray() {
		value = value.Get("0")
	}
	return value.Get("resourceSpans").IsArray() ||
		value.Get("resourceLogs").IsArray() && bytes.Contains(head, []byte(`"gen_ai.`)) ||
		value.Get("spanContext.traceId").Type == gjson.String && value.Get("spanContext.spanId").Type == gjson.String
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// unzipped is the beginning of what a file holds whose beginning is given.
func unzipped(head []byte) []byte {
	in, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	out := make([]byte, len(head))
	n, _ := io.ReadFull(in, out) // the rest of it is not there
	return out[:n]
}

package claudecode

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// A nowhere is a sink that keeps nothing.
type nowhere struct{ collected }

func (*nowhere) Record(session.Ref, session.Record) error { return nil }

// typicalFile writes a session of some megabytes, with lines as they are in real
// ones: small ones, and results of several kilobytes.
func typicalFile(b *testing.B) string {
	b.Helper()
	var text strings.Builder
	for text.Len() < 8<<20 {
		text.WriteString(turn(text.Len()))
	}
	path := filepath.Join(b.TempDir(), "00000000-0000-4000-8000-000000000001.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	return path
}

func BenchmarkRead(b *testing.B) {
	file := fileAt(b, typicalFile(b))
	for b.Loop() {
		if _, err := New().Read(context.Background(), file, transcript.Cursor{}, &nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInterpret(b *testing.B) {
	got := readFile(b, typicalFile(b))
	for b.Loop() {
		in, err := New().Interpreter(nil)
		if err != nil {
			b.Fatal(err)
		}
		events := 0
		for _, r := range got.records {
			events += len(in.Add(r.record, false))
		}
		if events == 0 {
			b.Fatal("no events")
		}
	}
}

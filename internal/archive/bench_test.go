package archive

import (
	"testing"

	"tapedeck/internal/transcript/claudecode"
)

// BenchmarkImport imports logs of Claude Code into an empty store, to the last
// derived session.
func BenchmarkImport(b *testing.B) {
	logs := b.TempDir()
	claudeLogs{sessions: 60, turns: 100, filler: 8000}.write(b, logs)
	for b.Loop() {
		a := openArchive(b, b.TempDir(), claudecode.New())
		b.SetBytes(imported(b, a, logs).Totals.Bytes)
	}
}

// BenchmarkImportUnchanged looks at 1,000 files in which nothing is new.
func BenchmarkImportUnchanged(b *testing.B) {
	logs := b.TempDir()
	claudeLogs{sessions: 750, turns: 1, filler: 100}.write(b, logs)
	a := openArchive(b, b.TempDir(), claudecode.New())
	imported(b, a, logs)
	for b.Loop() {
		if got := imported(b, a, logs); got.Totals.Unchanged != got.Totals.Files {
			b.Fatalf("%+v", got.Totals)
		}
	}
}

// BenchmarkImportGrown imports one more turn of a long session.
func BenchmarkImportGrown(b *testing.B) {
	logs := b.TempDir()
	s := newClaudeSession(0, 8000)
	for n := range 1000 {
		s.turn(n)
	}
	path := writeLines(b, logs+"/"+s.id+".jsonl", s.lines)
	a := openArchive(b, b.TempDir(), claudecode.New())
	imported(b, a, logs)
	for b.Loop() {
		b.StopTimer()
		s.lines = nil
		s.turn(0)
		appendTo(b, path, readFile(b, writeLines(b, b.TempDir()+"/more", s.lines)))
		b.StartTimer()
		if got := imported(b, a, path); got.Totals.Records != len(s.lines) {
			b.Fatalf("%+v", got.Totals)
		}
	}
}

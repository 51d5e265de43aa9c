package corpustest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fewestLogs is how many logs with right answers there are at the least.
const fewestLogs = 100

// A Log is an agent's log file with the counts that a streaming decode gives.
type Log struct {
	Name   string // as the corpus calls it, with its folder
	Path   string
	Counts map[string]int64 // by column of EXPECTED.tsv
	Models []string         // sorted
}

// Logs returns the Claude Code logs whose counts are known.
func Logs(t testing.TB) []Log {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(Path(t, "agents/claude-code"), "*", "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var logs []Log
	for _, table := range tables {
		logs = append(logs, readLogs(t, table)...)
	}
	if len(logs) < fewestLogs {
		t.Fatalf("read the counts of %d logs, want at least %d", len(logs), fewestLogs)
	}
	return logs
}

// readLogs reads one table: a head with the columns' names, then a line a file;
// the last column holds the models.
func readLogs(t testing.TB, table string) []Log {
	t.Helper()
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(table)
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	head := strings.Split(lines[0], "\t")
	var logs []Log
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(head) {
			t.Fatalf("%s: %d cells in %q, want %d", table, len(cells), line, len(head))
		}
		log := Log{Name: filepath.Base(dir) + "/" + cells[0], Path: filepath.Join(dir, filepath.FromSlash(cells[0])), Counts: map[string]int64{}}
		for i := 1; i < len(head)-1; i++ {
			if log.Counts[head[i]], err = strconv.ParseInt(cells[i], 10, 64); err != nil {
				t.Fatalf("%s: %s of %s: %v", table, head[i], cells[0], err)
			}
		}
		log.Models = strings.FieldsFunc(cells[len(head)-1], func(r rune) bool { return r == ';' })
		logs = append(logs, log)
	}
	return logs
}

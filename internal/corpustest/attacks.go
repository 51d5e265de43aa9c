package corpustest

import (
	"os"
	"strings"
	"testing"
)

// fewestAttacks is how many attacks there are at the least.
const fewestAttacks = 100

// Attack is a statement that a read-only query tool meets in the open.
type Attack struct {
	ID    string
	Class string // read, write, ext, set, ddl, multi, limit, bomb, uni
	SQL   string
}

// Attacks returns the list of them.
func Attacks(t testing.TB) []Attack {
	t.Helper()
	text, err := os.ReadFile(Path(t, "sql/attacks.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []Attack
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(parts) == 3 && parts[0] != "id" {
			list = append(list, Attack{parts[0], strings.TrimSuffix(parts[1], " post"), parts[2]})
		}
	}
	if len(list) < fewestAttacks {
		t.Fatalf("read %d attacks, want at least %d", len(list), fewestAttacks)
	}
	return list
}

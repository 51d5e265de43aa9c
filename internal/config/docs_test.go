package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated parts of the documentation")

// The generated part of a page lies between these lines.
const (
	tableBegin = "<!-- settings: written by `make docs` -->\n"
	tableEnd   = "<!-- end of settings -->\n"
)

// TestDocs keeps the pages that list the settings as the table has them.
func TestDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	pages := []struct {
		name  string
		table string
	}{
		{filepath.Join(root, "docs", "configuration.md"), fullTable()},
		{filepath.Join(root, "README.md"), shortTable()},
	}
	for _, page := range pages {
		t.Run(filepath.Base(page.name), func(t *testing.T) {
			text, err := os.ReadFile(page.name)
			if err != nil {
				t.Fatal(err)
			}
			before, rest, ok := bytes.Cut(text, []byte(tableBegin))
			_, after, ended := bytes.Cut(rest, []byte(tableEnd))
			if !ok || !ended {
				t.Fatalf("no generated part: want the lines %q and %q", tableBegin, tableEnd)
			}
			want := string(before) + tableBegin + page.table + tableEnd + string(after)
			if *update {
				if err := os.WriteFile(page.name, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, string(text)); diff != "" {
				t.Errorf("the settings in %s are stale, `make docs` writes them (-want +got):\n%s", page.name, diff)
			}
		})
	}
}

func fullTable() string {
	var b strings.Builder
	b.WriteString("| in the file | flag | variables | default | values | what it is |\n|---|---|---|---|---|---|\n")
	for _, s := range Settings() {
		keys, flag, vars := code(s.Key), code("--"+s.Flag()), code(s.Env())
		if s.LegacyKey != "" {
			keys += " or " + code(s.LegacyKey)
		}
		if s.Secret {
			flag = "none"
		}
		if s.LegacyEnv != "" {
			vars += ", " + code(s.LegacyEnv)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", keys, flag, vars, defaultCell(s), valuesCell(s), s.Help)
	}
	return b.String()
}

func shortTable() string {
	var b strings.Builder
	b.WriteString("| variable | default | what it is |\n|---|---|---|\n")
	for _, s := range Settings() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(s.Env()), defaultCell(s), s.Help)
	}
	return b.String()
}

func defaultCell(s Setting) string {
	if s.DefaultDoc != "" {
		return s.DefaultDoc
	}
	return code(s.DefaultText())
}

func valuesCell(s Setting) string {
	switch s.Default.(type) {
	case bool:
		return "`true`, `false`"
	case int:
		return fmt.Sprintf("%d to %d", s.Min, s.Max)
	case []string:
		return "a list"
	}
	if _, ok := s.field(&Config{}).(*address); ok {
		return "host and port"
	}
	if s.Choices == nil {
		return "a text"
	}
	return "`" + strings.Join(s.Choices, "`, `") + "`"
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

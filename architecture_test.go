package tapedeck_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed says which of our packages each package may import: what lies before
// it on its road (docs/architecture.md), never what lies behind. A new package
// is added here with its place on the map.
var allowed = map[string][]string{
	"decode":                   {},
	"decode/internal/jsontext": {},

	"decode/cdr":        {"decode", "decode/internal/jsontext"},
	"decode/ros":        {"decode", "decode/cdr"},
	"decode/idl":        {"decode", "decode/cdr"},
	"decode/protobuf":   {"decode", "decode/internal/jsontext"},
	"decode/jsonmsg":    {"decode"},
	"decode/flatbuffer": {"decode", "decode/internal/jsontext"},
	"decode/registry":   {"decode", "decode/ros", "decode/idl", "decode/protobuf", "decode/jsonmsg", "decode/flatbuffer"},

	"internal/nearest":        {},
	"internal/config":         {"internal/nearest"},
	"internal/recording":      {"decode"},
	"internal/recording/mcap": {"decode", "internal/recording"},
	"internal/recording/open": {"internal/recording", "internal/recording/mcap"},
	"internal/library":        {"decode", "internal/nearest", "internal/recording", "internal/recording/open"},
	"internal/duckdb":         {"decode"},
	"internal/table":          {"decode", "internal/recording", "internal/duckdb"},
	"internal/query":          {"decode", "internal/duckdb"},
	"internal/deck": {"decode", "decode/registry", "internal/library", "internal/nearest", "internal/query", "internal/recording",
		"internal/table"},

	"internal/session":               {},
	"internal/transcript":            {"internal/session"},
	"internal/transcript/jsonl":      {},
	"internal/transcript/chat":       {"internal/session"},
	"internal/transcript/claudecode": {"internal/session", "internal/transcript", "internal/transcript/jsonl"},
	"internal/transcript/codex":      {"internal/session", "internal/transcript", "internal/transcript/jsonl"},
	"internal/transcript/gemini":     {"internal/session", "internal/transcript", "internal/transcript/jsonl"},
	"internal/transcript/opencode":   {"internal/session", "internal/transcript", "internal/transcript/jsonl"},
	"internal/transcript/pi":         {"internal/session", "internal/transcript", "internal/transcript/jsonl"},
	"internal/transcript/aider":      {"internal/session", "internal/transcript"},
	"internal/transcript/otlp":       {"internal/session", "internal/transcript", "internal/transcript/chat", "internal/transcript/jsonl"},
	"internal/transcript/langfuse":   {"internal/session", "internal/transcript", "internal/transcript/chat", "internal/transcript/jsonl"},
	"internal/transcript/registry": {"internal/transcript", "internal/transcript/aider", "internal/transcript/claudecode", "internal/transcript/codex",
		"internal/transcript/gemini", "internal/transcript/langfuse", "internal/transcript/opencode", "internal/transcript/otlp", "internal/transcript/pi"},
	"internal/derive":         {"internal/session", "internal/transcript"},
	"internal/store":          {"internal/session"},
	"internal/store/body":     {},
	"internal/store/sqlite":   {"internal/session", "internal/store", "internal/store/body"},
	"internal/store/postgres": {"internal/session", "internal/store", "internal/store/body"},
	"internal/store/open":     {"internal/store", "internal/store/postgres", "internal/store/sqlite"},
	"internal/embed":          {},
	"internal/embed/builtin":  {"internal/embed"},
	"internal/embed/remote":   {"internal/embed"},
	"internal/embed/ollama":   {"internal/embed", "internal/embed/remote"},
	"internal/embed/openai":   {"internal/embed", "internal/embed/remote"},
	"internal/embed/open": {"internal/embed", "internal/embed/builtin", "internal/embed/ollama", "internal/embed/openai",
		"internal/embed/remote"},
	"internal/search/document": {"internal/derive", "internal/session"},
	"internal/search":          {"internal/embed", "internal/nearest", "internal/search/document", "internal/session", "internal/store"},
	"internal/local":           {"internal/embed/ollama"},
	"internal/archive":         {"internal/derive", "internal/nearest", "internal/session", "internal/store", "internal/transcript"},

	"internal/mcpserver": {"internal/archive", "internal/deck", "internal/nearest", "internal/search", "internal/session", "internal/store"},
	"internal/httpapi":   {"internal/archive", "internal/mcpserver", "internal/nearest", "internal/search", "internal/session", "internal/store"},
	"internal/sample":    {},

	"internal/cli/clientconfig": {},
	"internal/cli": {"internal/archive", "internal/cli/clientconfig", "internal/config", "internal/deck", "internal/embed", "internal/embed/open",
		"internal/httpapi", "internal/local", "internal/mcpserver", "internal/nearest", "internal/query", "internal/recording", "internal/sample",
		"internal/search", "internal/session", "internal/store", "internal/store/open", "internal/table", "internal/transcript",
		"internal/transcript/registry"},
	"cmd/tapedeck": {"internal/cli", "internal/query"},
}

// Every package has its place on the map and imports only what lies before it.
func TestTheMapHolds(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	page := readPage(t, filepath.Join("docs", "architecture.md"))
	seen := map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(pkg.ImportPath, "tapedeck/")
		if !ours {
			continue
		}
		seen[name] = true
		may, known := allowed[name]
		if !known && !testOnly(name) {
			t.Errorf("%s has no place on the map: add it to allowed, and to docs/architecture.md", name)
		}
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/architecture.md does not name %s", name)
		}
		for _, path := range pkg.Imports {
			if imported, ours := strings.CutPrefix(path, "tapedeck/"); ours && known && !slices.Contains(may, imported) {
				t.Errorf("%s imports %s, which lies behind it or beside it", name, imported)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("%s is on the map but not in the module", name)
		}
	}
}

// testOnly reports whether nothing but tests and tools uses a package.
func testOnly(name string) bool {
	return strings.HasPrefix(name, "tests/") || strings.HasPrefix(name, "scripts/") || strings.HasSuffix(name, "test")
}

package tapedeck_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/decode/registry"
	"tapedeck/internal/archive"
	"tapedeck/internal/mcpserver"
	"tapedeck/internal/sample"
	"tapedeck/internal/search"
)

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The sessions in the README are run on the recordings and the imported logs of
// `make demo`, and must print what it shows.
func TestReadmeSessions(t *testing.T) {
	sessions := regexp.MustCompile("(?s)```console\n\\$ tapedeck (.*?)\n(.*?)```").FindAllStringSubmatch(readPage(t, "README.md"), -1)
	if len(sessions) < 4 {
		t.Fatalf("only %d sessions", len(sessions))
	}
	dir, binary := t.TempDir(), filepath.Join(t.TempDir(), "tapedeck")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/tapedeck").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := sample.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := sample.WriteSessions(filepath.Join(dir, "agents")); err != nil {
		t.Fatal(err)
	}
	settings := append(withoutSettings(), "TAPEDECK_CACHE_DIR="+t.TempDir(), "TAPEDECK_STORE_DIR="+t.TempDir(), "TAPEDECK_IMPORT=off")
	run := func(line string) ([]byte, error) {
		cmd := exec.Command(binary, words(line)...)
		cmd.Dir, cmd.Env = dir, settings
		return cmd.Output()
	}
	if _, err := run("import agents"); err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		out, err := run(s[1])
		if err != nil {
			t.Errorf("tapedeck %s: %v", s[1], err)
			continue
		}
		if diff := cmp.Diff(trimLines(s[2]), trimLines(string(out))); diff != "" {
			t.Errorf("tapedeck %s (-README +printed):\n%s", s[1], diff)
		}
	}
}

// withoutSettings is the environment without the settings of who runs the tests.
func withoutSettings() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TAPEDECK_") || strings.HasPrefix(v, "MCAP_")
	})
}

// words splits a command line with double quotes as a shell does.
func words(line string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

func trimLines(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// The table of tools in the README names every tool with all its parameters.
func TestReadmeTools(t *testing.T) {
	_, rest, _ := strings.Cut(readPage(t, "README.md"), "<!-- tools: checked by readme_test.go -->\n")
	table, _, _ := strings.Cut(rest, "<!-- end of tools -->")
	got := map[string][]string{}
	for i, line := range slices.Collect(strings.Lines(table)) {
		if i < 2 { // the head
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			t.Fatalf("row %q has %d cells", line, len(cells)-2)
		}
		got[strings.Trim(cells[1], " `")] = codes(cells[2])
	}
	want := map[string][]string{}
	for _, tool := range listTools(t) {
		properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		names := []string{}
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		want[tool.Name] = names
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-tools +README):\n%s", diff)
	}
}

// codes are the words in backquotes, sorted.
func codes(cell string) []string {
	all := []string{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return all
}

// noSessions is an archive for who asks for no session.
type noSessions struct{ archive.Operations }

// noSearch is a search for who asks for nothing.
type noSearch struct{ search.Operations }

// listTools are all tools, those of agent sessions too.
func listTools(t *testing.T) []*mcp.Tool {
	t.Helper()
	server := mcpserver.New(nil, mcpserver.Options{MaxAnswerBytes: 80000, DefaultRows: 1000, MaxRows: 10000, Archive: noSessions{}, Search: noSearch{}})
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := server.Connect(ctx, ours, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "readme", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// Every decoder stands in the table of encodings.
func TestColumnsPageNamesEveryDecoder(t *testing.T) {
	page := readPage(t, filepath.Join("docs", "columns.md"))
	for _, d := range registry.Decoders() {
		if !strings.Contains(page, "`"+d.Name()+"`") {
			t.Errorf("docs/columns.md does not name %s", d.Name())
		}
	}
}

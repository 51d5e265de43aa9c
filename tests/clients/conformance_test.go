package clients

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scenarios reads conformance.tsv: by name, "run" or why it is not.
func scenarios(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("conformance.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, what, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all[name] = what
		}
	}
	return all
}

func TestConformance(t *testing.T) {
	url := httpServer(t, t.TempDir())
	for name, what := range scenarios(t) {
		if what != "run" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := output(t, npmClient(t, "conformance", "server", "--url", url, "--scenario", name))
			if err != nil || !strings.Contains(stdout, ", 0 failed, 0 warnings") {
				t.Errorf("%v:\n%s%s", err, stdout, stderr)
			}
		})
	}
}

// A new version of the suite may have scenarios that nobody has looked at.
func TestEveryScenarioIsDecided(t *testing.T) {
	stdout, stderr, err := output(t, npmClient(t, "conformance", "list"))
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	servers, _, _ := strings.Cut(stdout, "Client scenarios")
	var listed, decided []string
	for line := range strings.Lines(servers) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			name, _, _ = strings.Cut(name, " ")
			listed = append(listed, name)
		}
	}
	for name := range scenarios(t) {
		decided = append(decided, name)
	}
	slices.Sort(listed)
	slices.Sort(decided)
	if diff := cmp.Diff(listed, decided); diff != "" {
		t.Errorf("conformance.tsv (-listed by the suite +decided):\n%s", diff)
	}
}

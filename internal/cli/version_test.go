package cli

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	old := version
	defer func() { version = old }()
	version = "v1.2.3"
	o := runWith(t, &fakeDeck{}, "", "version")
	if o.code != 0 || !strings.HasPrefix(o.out, "tapedeck v1.2.3 ") || !strings.Contains(o.out, runtime.Version()) {
		t.Errorf("exit code %d, stdout %q", o.code, o.out)
	}
	var b build
	if o = runWith(t, &fakeDeck{}, "", "version", "--json"); json.Unmarshal([]byte(o.out), &b) != nil || b.Version != "v1.2.3" || b.Platform == "" {
		t.Errorf("stdout %q", o.out)
	}
}

func TestVersionNamesTheCommitOnce(t *testing.T) {
	const commit = "5d7ce8b0123456789"
	for version, want := range map[string]string{
		"v1.2.3":            "tapedeck v1.2.3 (5d7ce8b01234) go p",
		"5d7ce8b":           "tapedeck 5d7ce8b go p",
		"v1.2.3-4-g5d7ce8b": "tapedeck v1.2.3-4-g5d7ce8b go p",
	} {
		if got := (build{Version: version, Commit: commit, Go: "go", Platform: "p"}).String(); got != want {
			t.Errorf("version is %q, want %q", got, want)
		}
	}
	if got := (build{Version: "devel", Go: "go", Platform: "p"}).String(); got != "tapedeck devel go p" {
		t.Errorf("version without a commit is %q", got)
	}
}

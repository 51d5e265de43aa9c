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

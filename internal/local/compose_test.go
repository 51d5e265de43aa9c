package local

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docker puts a script in the place of docker.
func docker(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/bin:/usr/bin")
}

func TestDockerThatCannotBeUsed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := Compose{Dir: t.TempDir(), Out: io.Discard}
	if err := c.Usable(t.Context()); !errors.Is(err, ErrNoDocker) || !strings.Contains(err.Error(), "no program docker") {
		t.Errorf("without docker: %v", err)
	}
	docker(t, `echo "Cannot connect to the Docker daemon"; exit 1`)
	if err := c.Usable(t.Context()); !errors.Is(err, ErrNoDocker) || !strings.Contains(err.Error(), "Cannot connect") {
		t.Errorf("without its daemon: %v", err)
	}
	docker(t, `test "$1" = version || { echo "unknown command: docker compose"; exit 1; }`)
	if err := c.Usable(t.Context()); !errors.Is(err, ErrNoDocker) || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("without compose: %v", err)
	}
	docker(t, "exit 0")
	if err := c.Usable(t.Context()); err != nil {
		t.Errorf("a docker that works: %v", err)
	}
}

func TestServices(t *testing.T) {
	want := []Service{{Name: "postgres", State: "running", Health: "healthy"}, {Name: "ollama", State: "exited"}}
	for _, out := range []string{
		`{"Service":"postgres","State":"running","Health":"healthy","Publishers":[]}` + "\n" + `{"Service":"ollama","State":"exited","Health":""}` + "\n",
		`[{"Service":"postgres","State":"running","Health":"healthy"},{"Service":"ollama","State":"exited"}]`,
	} {
		got, err := parseServices([]byte(out))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", out, err, diff)
		}
	}
	if got, err := parseServices(nil); got != nil || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
	if _, err := parseServices([]byte("NAME  STATE")); err == nil {
		t.Error("a table for people is taken for JSON")
	}
}

func TestPasswordStays(t *testing.T) {
	docker(t, "exit 0")
	c := Compose{Dir: filepath.Join(t.TempDir(), "local"), Out: io.Discard}
	first, err := c.DSN()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Down(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	second, err := c.DSN()
	if err != nil || first != second || !strings.HasSuffix(first, "@127.0.0.1:54329/tapedeck?sslmode=disable") {
		t.Errorf("%s became %s, %v", first, second, err)
	}
	info, err := os.Stat(filepath.Join(c.Dir, secretsName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the password: %v, %v", info.Mode(), err)
	}
	other := Compose{Dir: t.TempDir()}
	if dsn, err := other.DSN(); err != nil || dsn == first {
		t.Errorf("two have one password: %s, %v", dsn, err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, secretsName), []byte("OTHER=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DSN(); err == nil || !strings.Contains(err.Error(), passwordKey) {
		t.Errorf("a file without the password: %v", err)
	}
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// onlyPrograms makes these scripts the only programs there are, beside the shell's own.
func onlyPrograms(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, script := range scripts {
		writeScript(t, filepath.Join(dir, name), script)
	}
	t.Setenv("PATH", dir)
	return dir
}

func writeScript(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestServerThatIsNamed(t *testing.T) {
	t.Setenv(provider.Variable, "postgres://u:correct-horse@127.0.0.1:1/x")
	_, err := find(t.Context())
	if err == nil || !strings.Contains(err.Error(), provider.Variable) || strings.Contains(err.Error(), "correct-horse") {
		t.Errorf("find fails with %v; want an error that names the variable and hides the password", err)
	}
}

// Each way that fails is told, and what to do.
func TestNoServer(t *testing.T) {
	t.Setenv(provider.Variable, "")
	tests := []struct {
		name    string
		scripts map[string]string
		want    []string
	}{
		{"nothing is there", nil, []string{"docker is not here", "python3 is not here"}},
		{"no daemon", map[string]string{"docker": "exit 1"}, []string{"a Docker daemon that answers is not here"}},
		{
			"no image", map[string]string{"docker": `test "$1" = version || { echo pull denied >&2; exit 125; }`},
			[]string{"Docker: docker run: exit status 125: pull denied"},
		},
		{"no venv", map[string]string{"python3": "echo ensurepip is not available; exit 1"}, []string{"python3-venv", "ensurepip is not available"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			onlyPrograms(t, tt.scripts)
			_, err := find(t.Context())
			if err == nil {
				t.Fatal("find succeeds")
			}
			for _, part := range append(tt.want, "install Docker, or Python", provider.Variable) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error does not say %q:\n%v", part, err)
				}
			}
		})
	}
}

func TestContainer(t *testing.T) {
	dir := onlyPrograms(t, map[string]string{"docker": `
echo "$@" >> ${0%/*}/asked
case $1 in
  run) echo 0c0ffee ;;
  port) echo 127.0.0.1:54321; echo [::1]:54321 ;;
esac`})
	s, err := startContainer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"--publish 127.0.0.1::5432", image, "rm --force 0c0ffee"} {
		if !strings.Contains(string(asked), part) {
			t.Errorf("docker was not asked %q:\n%s", part, asked)
		}
	}
	if !strings.HasSuffix(s.dsn, "@127.0.0.1:54321/postgres?sslmode=disable") {
		t.Errorf("the DSN is %q", s.dsn)
	}
}

// A container whose port can't be told does not stay.
func TestContainerWithoutPort(t *testing.T) {
	dir := onlyPrograms(t, map[string]string{"docker": `
case $1 in
  run) echo 0c0ffee ;;
  port) exit 1 ;;
  rm) echo $3 > ${0%/*}/removed ;;
esac`})
	if _, err := startContainer(t.Context()); err == nil {
		t.Error("startContainer succeeds")
	}
	if removed, _ := os.ReadFile(filepath.Join(dir, "removed")); string(removed) != "0c0ffee\n" {
		t.Errorf("removed is %q; want the container", removed)
	}
}

func TestCluster(t *testing.T) {
	running := `echo $$ > "$2/running"; trap 'echo stopped > "$2/stopped"; exit' INT; while :; do sleep 0.01; done`
	tests := []struct {
		name             string
		initdb, postgres string
		fail             string // a part of the error of starting or waiting
	}{
		{"initdb fails", "echo no space; exit 1", running, "no space"},
		{"server fails", "exit 0", "exit 1", "ended by itself"},
		{"server runs", `test "$(cat "$8")" != ""`, running, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			packages, dir := t.TempDir(), t.TempDir()
			bin := filepath.Join(packages, filepath.FromSlash(programs), "bin")
			writeScript(t, filepath.Join(bin, "initdb"), tt.initdb)
			writeScript(t, filepath.Join(bin, "postgres"), tt.postgres)
			s, err := startCluster(t.Context(), packages, dir, nil)
			if err == nil && tt.fail != "" {
				_, err = await(t.Context(), s)
			}
			if (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
				t.Fatalf("the error is %v; want %q", err, tt.fail)
			}
			if s == nil {
				return
			}
			if tt.fail == "" && !appears(filepath.Join(dir, "data", "running")) {
				t.Fatal("the server does not run")
			}
			s.stop()
			if tt.fail == "" && !appears(filepath.Join(dir, "data", "stopped")) {
				t.Error("the server was not stopped in an orderly way")
			}
		})
	}
}

// Installing is done once; what is there is not installed again.
func TestInstallOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "postgres")
	venv := `
mkdir -p "$3/bin"
printf '#!/bin/sh\necho pip >> %s/asked\nmkdir -p %s/lib/python3.11/site-packages/` + programs + `/bin
: > %s/lib/python3.11/site-packages/` + programs + `/bin/postgres\n' "$3" "$3" "$3" > "$3/bin/python"
chmod +x "$3/bin/python"`
	python := t.TempDir()
	writeScript(t, filepath.Join(python, "python3"), venv)
	t.Setenv("PATH", python+string(os.PathListSeparator)+os.Getenv("PATH"))
	for range 2 {
		packages, err := installWheel(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, "lib", "python3.11", "site-packages") + string(filepath.Separator); packages != want {
			t.Errorf("packages are in %s, want %s", packages, want)
		}
	}
	if asked, _ := os.ReadFile(filepath.Join(dir, "asked")); string(asked) != "pip\n" {
		t.Errorf("asked is %q; want pip once", asked)
	}
}

// appears waits until a file is there.
func appears(path string) bool {
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

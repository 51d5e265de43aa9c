package provide

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// installTime bounds what a download may take.
const installTime = 10 * time.Minute

// Wheel installs a requirement of pip's, with what it depends on, into a virtual
// environment in dir, unless it is there, and returns the folder of its programs.
// Nothing is compiled. Options are pip's.
func (p Provider) Wheel(ctx context.Context, requirement, dir string, options ...string) (string, error) {
	bin := filepath.Join(dir, "bin")
	installed := filepath.Join(dir, "installed") // says which, once all of it is there
	if what, err := os.ReadFile(installed); err == nil && string(what) == requirement {
		return bin, nil
	}
	p.Say("installing %s into %s", requirement, dir)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := quietly(ctx, "python3", "-m", "venv", dir); err != nil {
		return "", fmt.Errorf("make a virtual environment (Debian has it in python3-venv): %w", err)
	}
	python := filepath.Join(bin, "python")
	install := append([]string{"-m", "pip", "install", "--quiet", "--only-binary", ":all:", requirement}, options...)
	if err := quietly(ctx, python, install...); err != nil {
		return "", fmt.Errorf("install %s with pip: %w", requirement, err)
	}
	return bin, os.WriteFile(installed, []byte(requirement), 0o644)
}

func quietly(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	return Quietly(exec.CommandContext(ctx, program, args...))
}

// Quietly runs cmd and shows what it printed only when it failed: in the error.
func Quietly(cmd *exec.Cmd) error {
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, bytes.TrimSpace(text))
	}
	return nil
}

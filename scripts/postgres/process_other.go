//go:build !linux

package main

import (
	"os/exec"

	"tapedeck/scripts/internal/provide"
)

// runAs confines cmd; changes of the account are not needed where tests run at a desk.
func runAs(cmd *exec.Cmd, _ *account) { provide.Confine(cmd) }

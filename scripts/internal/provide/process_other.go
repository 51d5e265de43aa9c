//go:build !linux

package provide

import (
	"os"
	"os/exec"
	"syscall"
)

// Confine does nothing here: process groups are not needed where tests run at a
// desk.
func Confine(*exec.Cmd) {}

// signalGroup signals p alone.
func signalGroup(p *os.Process, sig syscall.Signal) error { return p.Signal(sig) }

//go:build !linux

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// confine does nothing here: process groups and changes of the account are not
// needed where tests run at a desk.
func confine(*exec.Cmd, *account) {}

// signalGroup signals p alone.
func signalGroup(p *os.Process, sig syscall.Signal) error { return p.Signal(sig) }

package main

import (
	"os/exec"
	"syscall"

	"tapedeck/scripts/internal/provide"
)

// runAs confines cmd; with an account it runs as that one.
func runAs(cmd *exec.Cmd, as *account) {
	provide.Confine(cmd)
	if as != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
}

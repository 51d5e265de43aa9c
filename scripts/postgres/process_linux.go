package main

import (
	"os"
	"os/exec"
	"syscall"
)

// confine puts cmd into a process group of its own, so that what is typed at the
// terminal does not reach it, and has it end when the thread that starts it does.
// With an account it runs as that one.
func confine(cmd *exec.Cmd, as *account) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	if as != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
}

// signalGroup signals the process group that p leads.
func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

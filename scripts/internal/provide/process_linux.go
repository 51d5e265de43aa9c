package provide

import (
	"os"
	"os/exec"
	"syscall"
)

// Confine puts cmd into a process group of its own, so that what is typed at the
// terminal does not reach it, and has it end when the thread that starts it does.
func Confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// signalGroup signals the process group that p leads.
func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

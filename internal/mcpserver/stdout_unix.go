//go:build unix

package mcpserver

import (
	"os"

	"golang.org/x/sys/unix"
)

// claimStdout returns the real stdout and points descriptor 1 to stderr, so
// that C code is covered as well as os.Stdout. restore undoes it.
func claimStdout() (stdout *os.File, restore func(), err error) {
	fd, err := unix.Dup(unix.Stdout)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fd)
	if err := unix.Dup2(unix.Stderr, unix.Stdout); err != nil {
		unix.Close(fd)
		return nil, nil, err
	}
	stdout = os.NewFile(uintptr(fd), "stdout")
	return stdout, func() { _ = unix.Dup2(fd, unix.Stdout) }, nil
}

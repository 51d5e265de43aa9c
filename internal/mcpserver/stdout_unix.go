//go:build unix

package mcpserver

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// claimStdout returns the real stdout and points descriptor 1 to stderr, so
// that C code is covered as well as os.Stdout. restore undoes it. Meanwhile a
// client that no longer reads stdout or stderr is an error of writing, where it
// would otherwise end the process.
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
	brokenPipes := make(chan os.Signal, 1)
	signal.Notify(brokenPipes, unix.SIGPIPE)
	return os.NewFile(uintptr(fd), "stdout"), func() {
		signal.Stop(brokenPipes)
		_ = unix.Dup2(fd, unix.Stdout)
	}, nil
}

// hungUp reports whether nobody reads f any more, which must be a pipe or such.
func hungUp(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		ask := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(ask, 0)
		gone = err == nil && n > 0 && ask[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return err == nil && gone
}

//go:build unix

package query

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// framesFD is the descriptor on which a worker writes its frames.
const framesFD = 3

// attachFrames lets the command write its frames to w. Its standard output, to which the
// engine can be told to print, leads nowhere.
func attachFrames(cmd *exec.Cmd, w *os.File) { cmd.ExtraFiles = []*os.File{w} }

// takeFrames opens what attachFrames gave.
func takeFrames() (*os.File, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(framesFD, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, errors.New("started by hand; it is a part of the program that it calls itself")
	}
	unix.CloseOnExec(framesFD)
	return os.NewFile(framesFD, "frames"), nil
}

// limitResources bounds the process for good: a hard limit can't be raised again.
func limitResources(s setup) error {
	if err := setLimit(unix.RLIMIT_CORE, 0); err != nil {
		return fmt.Errorf("core dumps: %w", err)
	}
	if s.ExportPath == "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := setLimit(unix.RLIMIT_FSIZE, 0); err != nil {
			return fmt.Errorf("file sizes: %w", err)
		}
	}
	if raceDetector {
		return nil
	}
	err := setLimit(unix.RLIMIT_AS, uint64(s.AddressSpaceMB)<<20)
	if err != nil && runtime.GOOS == "linux" {
		return fmt.Errorf("address space: %w", err)
	}
	return nil
}

func setLimit(resource int, bytes uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: bytes, Max: bytes})
}

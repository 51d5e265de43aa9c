//go:build !unix

package query

import (
	"os"
	"os/exec"
)

// attachFrames lets the command write its frames to w, as its standard output: other
// files can't be inherited here.
func attachFrames(cmd *exec.Cmd, w *os.File) { cmd.Stdout = w }

// takeFrames opens what attachFrames gave.
func takeFrames() (*os.File, error) { return os.Stdout, nil }

// limitResources does nothing: there are no such limits here.
func limitResources(setup) error { return nil }

//go:build !unix

package mcpserver

import "os"

// claimStdout returns the real stdout and points os.Stdout to stderr. restore
// undoes it.
func claimStdout() (stdout *os.File, restore func(), err error) {
	stdout = os.Stdout
	os.Stdout = os.Stderr
	return stdout, func() { os.Stdout = stdout }, nil
}

// hungUp can't tell here.
func hungUp(*os.File) bool { return false }

//go:build !unix

package mcpserver

import "os"

// printFromC stands in where descriptors can't be moved.
func printFromC(s string) { _, _ = os.Stdout.WriteString(s) }

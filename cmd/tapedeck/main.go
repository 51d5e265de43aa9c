// Command tapedeck answers questions about robot recordings, on the command
// line and for AI agents. See package cli.
package main

import (
	"os"

	"tapedeck/internal/cli"
	"tapedeck/internal/query"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == query.WorkerArg {
		os.Exit(query.WorkerMain())
	}
	os.Exit(cli.Main(os.Args[1:]))
}

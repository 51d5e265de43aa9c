package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the linker: -X tapedeck/internal/cli.version=v1.2.3.
var version string

// build tells which program this is.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildInfo prefers what the linker was told to what the Go tool recorded.
func buildInfo() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
		if b.Version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}

// String is the build in one line.
func (b build) String() string {
	text := "tapedeck " + b.Version
	// A version that git describe made holds the beginning of the commit.
	if short := b.Commit[:min(7, len(b.Commit))]; short != "" && !strings.Contains(b.Version, short) {
		text += " (" + b.Commit[:min(12, len(b.Commit))] + ")"
	}
	return text + " " + b.Go + " " + b.Platform
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Example: `  tapedeck version --json`,
		Args:    nArgs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a.out, buildInfo())
			}
			_, err := fmt.Fprintln(a.out, buildInfo())
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

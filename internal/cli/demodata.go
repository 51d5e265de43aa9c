package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tapedeck/internal/sample"
)

func newDemoData(a *app) *cobra.Command {
	var sessions string
	cmd := &cobra.Command{
		Use:   "demo-data DIR",
		Short: "Write a few small recordings, and agents' sessions, to try things on",
		Example: `  tapedeck demo-data drives && tapedeck ls drives
  tapedeck demo-data drives --sessions agents && tapedeck import agents`,
		Hidden: true,
		Args:   nArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			paths, err := sample.Write(args[0])
			if err == nil && sessions != "" {
				var logs []string
				logs, err = sample.WriteSessions(sessions)
				paths = append(paths, logs...)
			}
			for _, path := range paths {
				fmt.Fprintln(a.out, path)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&sessions, "sessions", "", "write logs of AI agents to `DIR`")
	return cmd
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tapedeck/internal/sample"
)

func newDemoData(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "demo-data DIR",
		Short:   "Write a few small recordings to try things on",
		Example: `  tapedeck demo-data drives && tapedeck ls drives`,
		Hidden:  true,
		Args:    nArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			paths, err := sample.Write(args[0])
			for _, path := range paths {
				fmt.Fprintln(a.out, path)
			}
			return err
		},
	}
}

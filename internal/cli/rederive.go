package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
)

func newRederive(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rederive [SESSION]",
		Short: "Derive sessions again from their raw records",
		Long: `Make sessions, traces and spans anew from the raw records: those of one session,
or all. The result is the same as before, unless tapedeck has learned something
since; that it notices by itself at the next import.`,
		Example: `  tapedeck rederive
  tapedeck rederive 3f2a91c4`,
		Args: nArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				bar, report := a.progress()
				result, err := ops.Rederive(cmd.Context(), id, archive.Progress(report))
				bar.clear()
				if err != nil {
					return err
				}
				return a.printRederived(result, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printRederived(result *archive.RederiveResult, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, result); err != nil {
			return err
		}
	}
	a.each(brokenTexts(result.Broken), a.warn)
	a.note("%s derived, %s s", count(result.Sessions, "session", "sessions"), seconds(result.TookS))
	if len(result.Broken) > 0 {
		return fmt.Errorf("%w: %s", errImportLoss, count(len(result.Broken), "session", "sessions"))
	}
	return nil
}

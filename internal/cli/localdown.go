package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
)

func newLocalDown(a *app) *cobra.Command {
	var wipe, yes bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop what local up started",
		Long: `Stop the PostgreSQL and the Ollama that tapedeck local up started. What they hold
is kept; --wipe deletes the database, with all sessions in it, and the models.

The settings stay as they are: take them out of the configuration file to go
back to the store in a file and to the model that is built in.`,
		Example: `  tapedeck local down
  tapedeck local down --wipe`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.local()
			if err != nil {
				return err
			}
			if _, err := os.Stat(l.compose.Dir); err != nil {
				a.note("nothing was started here")
				return nil
			}
			if wipe && !yes {
				if !isTerminal(a.in) {
					return usageError(cmd, errors.New("nobody can be asked without a terminal: --yes deletes without asking"))
				}
				if sure, err := a.confirm("Delete the database, and all sessions in it, for good?"); err != nil || !sure {
					a.note("nothing was deleted")
					return err
				}
			}
			if err := l.compose.Usable(cmd.Context()); err != nil {
				return err
			}
			if err := l.compose.Down(cmd.Context(), wipe); err != nil {
				return err
			}
			return l.sayDown(wipe)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&wipe, "wipe", false, "delete what they hold, too")
	flags.BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// sayDown reminds of settings that name what is gone.
func (l *localServices) sayDown(wipe bool) error {
	text := "stopped; what they hold is kept"
	if wipe {
		text = "stopped, and what they held is deleted"
	}
	l.note("%s", text)
	path, err := l.settingsFile()
	if err != nil {
		return err
	}
	if l.config.IsSet("postgres") || l.config.IsSet("embedding_provider") {
		l.note("%s may still name them: take store.postgres and embedding.provider out to do without", path)
	}
	return nil
}

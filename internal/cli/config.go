package cli

import (
	"github.com/spf13/cobra"
)

func newConfig(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print every setting and where it comes from",
		Long: `Print the value of every setting that is in force, and where it comes from: a
flag, an environment variable, the configuration file, or its default. A token
is shown as asterisks.`,
		Example: `  tapedeck config
  TAPEDECK_LOG_LEVEL=debug tapedeck config --json`,
		Args: nArgs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			c, err := a.config()
			if err != nil {
				return err
			}
			values := c.Values()
			if asJSON {
				return printJSON(a.out, struct {
					File     string `json:"file"`
					Settings any    `json:"settings"`
				}{c.File, values})
			}
			t := &grid{columns: []column{{name: "SETTING"}, {name: "VALUE"}, {name: "ORIGIN"}}}
			for _, v := range values {
				t.add(v.Name, v.Text(), v.Origin.String())
			}
			return t.print(a.out)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

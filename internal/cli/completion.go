package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that a completion script can be written for.
var shells = []string{"bash", "fish", "powershell", "zsh"}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands in a shell",
		Long: `Print the script by which SHELL completes commands and flags when Tab is
pressed. SHELL is one of ` + strings.Join(shells, ", ") + `.`,
		Example: `  tapedeck completion bash > ~/.local/share/bash-completion/completions/tapedeck
  tapedeck completion fish > ~/.config/fish/completions/tapedeck.fish`,
		Args:      nArgs(1, 1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return usageError(cmd, fmt.Errorf("shell %q: want one of %s", args[0], strings.Join(shells, ", ")))
			}
			return writeCompletion(cmd.Root(), args[0], a.out)
		},
	}
}

func writeCompletion(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenZshCompletion(w)
}

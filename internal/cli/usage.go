package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tapedeck/internal/config"
)

// printUsage prints the part of a help text that follows from the command
// itself. Every setting has a flag that every command takes; a help text lists
// those that matter to its command.
func printUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	own := cmd.LocalNonPersistentFlags()
	own.SortFlags = false
	printFlags(w, "Flags", own)
	printFlags(w, "Settings (all of them: tapedeck config --help)", settingFlags(cmd))
	return nil
}

func printFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	width := terminalWidth(w)
	if width == 0 {
		width = pageWidth
	}
	fmt.Fprintf(w, "\n%s:\n%s", title, flags.FlagUsagesWrapped(min(width, widestPage)-wrapSlack))
}

// How wide help texts are: off the terminal, and at most. The flag package lets
// a word stand over the end of a line.
const (
	pageWidth  = 90
	widestPage = 110
	wrapSlack  = 8
)

// settingFlags are the settings' flags that cmd's help lists.
func settingFlags(cmd *cobra.Command) *pflag.FlagSet {
	shown := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	shown.SortFlags = false
	all := cmd.Root().PersistentFlags()
	shown.AddFlag(all.Lookup("config"))
	command := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	for _, s := range config.Settings() {
		flag := all.Lookup(s.Flag())
		if flag == nil {
			continue
		}
		if command == "config" || slices.Contains(s.Commands, config.Any) || slices.Contains(s.Commands, command) {
			shown.AddFlag(flag)
		}
	}
	return shown
}

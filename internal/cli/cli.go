// Package cli is tapedeck's command line: one file a command, all of one shape.
//
// # What it does
//
// It reads arguments, calls [deck.Operations], [archive.Operations] and
// [search.Operations], and prints what they give. Data goes to stdout; everything that is meant for people
// (errors, warnings, hints, progress, the log) goes to stderr.
//
// # What it does not
//
// It finds, decodes and computes nothing by itself: what a command knows, an
// MCP client can know too.
//
// # What it promises
//
// The exit code is one of four, see [Main]. Whatever comes out of a recording or
// a session is printed to a terminal with its control characters made visible.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tapedeck/internal/config"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for could not be done, or was interrupted
	exitUsage  = 2 // the command line or the configuration is wrong
	exitLoss   = 3 // done, but a part of the files could not be read
)

const exitCodes = `Exit codes:
  0  done
  1  failed or interrupted
  2  the command line or the configuration is wrong
  3  done, but a part of the files could not be read`

// Main runs the command that args name, without the program's own name, and
// returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration,
// 3 done with loss.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, open: openDeck, openArchive: openArchive}
	return a.run(ctx, args)
}

// app is what the commands share.
type app struct {
	in   io.Reader
	out  io.Writer // data
	err  io.Writer // words
	open opener

	openArchive archiveOpener

	flags      *config.Flags
	configFile string
}

func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		a.printError(err)
	}
	return exitCode(err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "tapedeck COMMAND",
		Short: "Question robot recordings and AI agent sessions",
		Long: `tapedeck answers questions about robot recordings (MCAP files) in SQL, and about
the sessions that AI agents recorded: here on the command line, and for AI
agents over the Model Context Protocol.

` + exitCodes,
		Example: `  tapedeck ls ~/recordings
  tapedeck query drive_02.mcap 'FROM battery_status WHERE voltage < 22 LIMIT 1'
  tapedeck import && tapedeck search "flaky upload race"
  tapedeck mcp install claude-desktop --data-dir ~/recordings --write`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		Version:               buildInfo().String(),
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(printUsage)
	root.SetVersionTemplate("{{.Version}}\n")
	a.flags = config.AddFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&a.configFile, "config", "", "configuration `FILE` to read instead of tapedeck.toml")
	root.SetHelpCommand(newHelp(root))
	root.CompletionOptions.DisableDefaultCmd = true // completion.go has one that is shaped like the others
	root.AddCommand(
		newLs(a), newInfo(a), newSchema(a), newQuery(a), newLoad(a),
		newSearch(a), newSessions(a), newStats(a), newImport(a), newRederive(a), newStore(a),
		newMCP(a), newServe(a), newLocal(a),
		newCache(a), newConfig(a), newCompletion(a), newVersion(a), newDemoData(a),
	)
	return root
}

// newHelp is what `tapedeck help COMMAND` runs: the same as COMMAND --help.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show how a command is used",
		Example: `  tapedeck help query`,
		Hidden:  true,
		Args:    nArgs(0, -1),
		RunE: func(_ *cobra.Command, names []string) error {
			about, rest, err := root.Find(names)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, names)
			}
			return about.Help()
		},
	}
}

// newGroup is a command that only holds others.
func newGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use:   name + " COMMAND",
		Short: short,
		Args:  unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError(cmd, errors.New("a command is missing: want one of "+strings.Join(subcommands(cmd), ", ")))
		},
		DisableFlagsInUseLine: true,
	}
	group.AddCommand(commands...)
	return group
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// config gathers the settings and shows what is odd in them.
func (a *app) config() (*config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	userDir, err := os.UserConfigDir()
	if err != nil {
		userDir = "" // no home: then there is no file in it either
	}
	c, err := config.Load(config.Sources{
		Dir: dir, UserDir: userDir, File: a.configFile, Environ: os.Environ(), Flags: a.flags,
	})
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings {
		a.warn(w)
	}
	return c, nil
}

// nArgs checks the number of arguments and says what is wanted when it is wrong.
func nArgs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return usageError(cmd, errors.New("an argument is missing: "+strings.TrimSuffix(cmd.UseLine(), " [flags]")))
		case most >= 0 && len(given) > most:
			return usageError(cmd, errors.New("unexpected argument "+strings.Join(given[most:], " ")))
		}
		return nil
	}
}

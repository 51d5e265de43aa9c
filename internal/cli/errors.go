package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tapedeck/internal/archive"
	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	"tapedeck/internal/httpapi"
	"tapedeck/internal/search"
	"tapedeck/internal/table"
)

// How failures are shown: lines on stderr, the first behind "tapedeck:", in
// lower case, without a full stop; what helps stands below it, indented.

var (
	// errUsage: the command line is wrong.
	errUsage = errors.New("wrong usage")
	// errLoss: the command did its work, but recordings were damaged.
	errLoss = errors.New("a part of the recordings could not be read")
)

// usage is a mistake on the command line of one command. It wraps errUsage.
type usage struct {
	cause error
	try   string
}

func (u *usage) Error() string   { return u.cause.Error() }
func (u *usage) Unwrap() []error { return []error{errUsage, u.cause} }

func usageError(cmd *cobra.Command, cause error) error {
	return &usage{cause: cause, try: cmd.CommandPath() + " --help"}
}

// unknownCommand refuses the arguments of a command that takes only sub-commands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	cmd.SuggestionsMinimumDistance = 2 // edits
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError(cmd, errors.New(text))
}

func exitCode(err error) int {
	var e *deck.Error
	var inArchive *archive.Error
	var inSearch *search.Error
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUsage), errors.Is(err, config.ErrInvalid), errors.Is(err, httpapi.ErrExposed):
		return exitUsage
	case errors.Is(err, errLoss), errors.Is(err, errImportLoss):
		return exitLoss
	case errors.As(err, &e) && ofArguments(e):
		return exitUsage
	case errors.As(err, &inArchive) && inArchive.Code == archive.CodeArgument,
		errors.As(err, &inSearch) && inSearch.Code == search.CodeArgument:
		return exitUsage
	}
	return exitFailed
}

func (a *app) printError(err error) {
	lines := strings.Split(err.Error(), "\n")
	var u *usage
	if errors.As(err, &u) {
		lines = append(lines, "Try: "+u.try)
	}
	var e *deck.Error
	if errors.As(err, &e) {
		if ofArguments(e) {
			lines[0] = flagNames.Replace(lines[0])
		}
		lines = append(lines, deckHints(e)...)
	}
	var inArchive *archive.Error
	flags := sessionFlags
	if inSearch, ok := errors.AsType[*search.Error](err); ok {
		same := archive.Error(*inSearch)
		inArchive, flags = &same, searchFlags
	}
	if inArchive != nil || errors.As(err, &inArchive) {
		if inArchive.Code == archive.CodeArgument {
			lines[0] = inFlags(lines[0], flags)
		}
		lines = append(lines, archiveHints(inArchive)...)
	} else {
		lines = append(lines, openHints(err)...)
	}
	fmt.Fprintf(a.err, "tapedeck: %s\n", visible(lines[0]))
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) != "" {
			fmt.Fprintf(a.err, "  %s\n", visible(line))
		}
	}
}

// ofArguments reports whether e tells of arguments, which the command line
// calls by other names than an MCP client.
func ofArguments(e *deck.Error) bool {
	return slices.Contains([]string{deck.CodeBadArgument, deck.CodeBadAlias, deck.CodeBadTime}, e.Code)
}

// deckHints are the parts of e that help to mend the call, a line each.
func deckHints(e *deck.Error) []string {
	var lines []string
	list := func(label string, names []string) {
		if len(names) > 0 {
			lines = append(lines, label+" "+some(names))
		}
	}
	list("Nearest:", e.Nearest)
	list("It may be:", e.Candidates)
	if e.Code == deck.CodeMissingTable && len(e.LoadedTables) == 0 {
		lines = append(lines, "Loaded tables: none")
	}
	list("Loaded tables:", e.LoadedTables)
	list("Found in:", e.FoundIn)
	if hint := commandHint(e); hint != "" {
		lines = append(lines, "Hint: "+hint)
	}
	return lines
}

// commandHint is e's hint in terms of commands and flags; hints speak of the
// tools of an MCP client.
func commandHint(e *deck.Error) string {
	switch e.Code {
	case deck.CodeMissingTable:
		return missingTableHint(e)
	case deck.CodeTimeout:
		return "narrow the time window with --start and --end, aggregate, load with --downsample, or allow more with --query-timeout-s"
	case deck.CodeMemory:
		if _, ok := errors.AsType[*table.MemoryError](e); ok {
			break
		}
		return "narrow the time window with --start and --end, select fewer columns, or allow more with --worker-memory-mb"
	}
	return flagNames.Replace(commandNames.Replace(e.Hint))
}

func missingTableHint(e *deck.Error) string {
	switch {
	case len(e.FoundIn) > 0:
		return fmt.Sprintf("name the recording: tapedeck query %s SQL", e.FoundIn[0])
	case len(e.LoadedTables) == 0:
		return "name a recording in front of the SQL: tapedeck query FILE SQL"
	}
	return "tapedeck schema FILE shows the tables of a recording"
}

var (
	commandNames = strings.NewReplacer(
		"list_recordings", "tapedeck ls", "get_recording_info", "tapedeck info", "get_schema", "tapedeck schema", "load_recording", "tapedeck load",
	)
	flagNames = strings.NewReplacer(
		"start_time", "--start", "end_time", "--end", "downsample ", "--downsample ", "blobs ", "--blobs ", "leave topics out", "leave --topic out",
		"memory_budget_mb", "--memory-budget-mb", "worker_memory_mb", "--worker-memory-mb",
	)
)

// flagError says what is wrong with a flag's value in words of ours: that of the
// flag package speaks of its own functions.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		wanted := map[string]string{"int": "a whole number", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
		if wanted != "" {
			err = fmt.Errorf("--%s %s: want %s", invalid.GetFlag().Name, invalid.GetValue(), wanted)
		}
	}
	return usageError(cmd, err)
}

// warn tells of something odd that does not stop the command.
func (a *app) warn(text string) { fmt.Fprintf(a.err, "tapedeck: warning: %s\n", visible(text)) }

// note tells something worth knowing.
func (a *app) note(format string, args ...any) { a.say(fmt.Sprintf(format, args...)) }

func (a *app) say(text string) { fmt.Fprintf(a.err, "tapedeck: %s\n", visible(text)) }

// each shows the first of texts, and counts those beyond what people read.
func (a *app) each(texts []string, show func(string)) {
	for _, text := range texts[:min(listed, len(texts))] {
		show(text)
	}
	if more := len(texts) - listed; more > 0 {
		a.note("and %s more like these", group(more))
	}
}

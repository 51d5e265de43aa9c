package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
)

func newSessionsExport(a *app) *cobra.Command {
	format, output := archive.FormatMarkdown, ""
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a whole session to a file or stdout",
		Long: `Write a whole session: as Markdown to be read, or as JSONL with a line for the
session, then one a trace, span and link. SESSION is an identifier, its first
characters (6 at least), or the one that the agent itself gave.`,
		Example: `  tapedeck sessions export 7a0c52f4 -o session.md
  tapedeck sessions export 7a0c52f4 --format jsonl | jq -c 'keys'`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if formats := []string{archive.FormatMarkdown, archive.FormatJSONL}; !slices.Contains(formats, format) {
				return usageError(cmd, fmt.Errorf("--format %s: want one of %s", format, strings.Join(formats, ", ")))
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				write := func(w io.Writer) error {
					out := bufio.NewWriter(w)
					return errors.Join(ops.Export(cmd.Context(), args[0], format, out), out.Flush())
				}
				switch {
				case output != "" && output != "-":
					return writeFile(output, write)
				case format == archive.FormatJSONL:
					return write(&jsonText{w: a.out})
				}
				return write(a.out)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&format, "format", format, "`FORM` of the export: markdown or jsonl")
	flags.StringVarP(&output, "output", "o", "", "write to `FILE` rather than stdout")
	return cmd
}

func newSessionsRename(a *app) *cobra.Command {
	var clear bool
	cmd := &cobra.Command{
		Use:   "rename SESSION [NAME]",
		Short: "Give a session a name, or take it away",
		Example: `  tapedeck sessions rename 7a0c52f4 'upload fix'
  tapedeck sessions rename 7a0c52f4 --clear`,
		Args: nArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args[1:], "")
			switch {
			case clear && name != "":
				return usageError(cmd, errors.New("a name and --clear contradict one another"))
			case !clear && strings.TrimSpace(name) == "":
				return usageError(cmd, errors.New("a name is missing; --clear takes the present one away"))
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				renamed, err := ops.Rename(cmd.Context(), args[0], name)
				if err != nil {
					return err
				}
				a.note("session %s is called %s", renamed.ID[:min(shortID, len(renamed.ID))], named(shorten(renamed.DisplayTitle)))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&clear, "clear", false, "take the name away: the session goes by its title again")
	return cmd
}

func newSessionsRm(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm SESSION…",
		Short: "Delete sessions for good",
		Long: `Delete sessions with all that was captured and derived of them, and those of
their sub-agents. The agents' own files are not touched; importing does not
bring the sessions back, unless with import --again.

It asks first. Without a terminal it needs --yes.`,
		Example: `  tapedeck sessions rm 7a0c52f4
  tapedeck sessions rm 7a0c52f4 91be0d3c --yes`,
		Args: nArgs(1, -1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			if !yes && !isTerminal(a.in) {
				return usageError(cmd, errors.New("nobody can be asked without a terminal: --yes deletes without asking"))
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				doomed, err := findSessions(cmd.Context(), ops, ids)
				if err != nil {
					return err
				}
				a.sayDoomed(doomed)
				if !yes {
					if sure, err := a.confirm("Delete for good?"); err != nil || !sure {
						a.note("nothing was deleted")
						return err
					}
				}
				return a.deleteSessions(cmd.Context(), ops, doomed)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// findSessions finds all before any is touched; one that is named twice counts once.
func findSessions(ctx context.Context, ops archive.Operations, ids []string) ([]*archive.SessionDetail, error) {
	var found []*archive.SessionDetail
	for _, id := range ids {
		s, err := ops.Session(ctx, id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(other *archive.SessionDetail) bool { return other.ID == s.ID }) {
			found = append(found, s)
		}
	}
	return found, nil
}

// sayDoomed names what will go.
func (a *app) sayDoomed(doomed []*archive.SessionDetail) {
	for _, s := range doomed {
		text := fmt.Sprintf("%s  %s, %s", s.ID[:min(shortID, len(s.ID))], shorten(s.DisplayTitle), count(s.Counts.Traces, "turn", "turns"))
		if n := s.Subagents.Sessions; n > 0 {
			text += ", and " + count(n, "session of its sub-agents", "sessions of its sub-agents")
		}
		a.say(text)
	}
}

// confirm asks a question that is answered with no unless somebody types yes.
func (a *app) confirm(question string) (bool, error) {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// deleteSessions deletes one after the other. One may be gone with another,
// whose sub-agent it was.
func (a *app) deleteSessions(ctx context.Context, ops archive.Operations, doomed []*archive.SessionDetail) error {
	gone := map[string]bool{}
	defer func() { a.note("deleted %s", count(len(gone), "session", "sessions")) }()
	for _, s := range doomed {
		if gone[s.ID] {
			continue
		}
		deleted, err := ops.Delete(ctx, s.ID)
		if err != nil {
			return err
		}
		for _, id := range deleted.Sessions {
			gone[id] = true
		}
	}
	return nil
}

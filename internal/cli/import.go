package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
)

func newImport(a *app) *cobra.Command {
	var request archive.ImportRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import [PATH…]",
		Short: "Take in the sessions of AI agents",
		Long: `Read the logs that AI agents keep of their sessions, and store what is new in
them. Without PATH the usual places of every agent are looked through, with it
these files and folders. A file that has not changed costs nothing, one that
has grown costs what is new. What is there is never changed or removed.

Sessions that were deleted stay so, unless --again brings them back.

The table shows what was taken of each file, and why not. What can't be read is
named on stderr, and the exit code is then 3.`,
		Example: `  tapedeck import
  tapedeck import --agent claude-code --dry-run
  tapedeck import ~/old-laptop/.codex/sessions`,
		Args: nArgs(0, -1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			request.Paths = paths
			if os.Getenv("GOMEMLIMIT") == "" {
				archive.TuneForImport()
			}
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				bar, report := a.progress()
				result, err := ops.Import(cmd.Context(), request, archive.Progress(report))
				bar.clear()
				if err != nil {
					return err
				}
				return a.printImport(result, asJSON)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&request.Harness, "agent", "", "only the files of the agent `NAME`, such as claude-code")
	flags.BoolVar(&request.DryRun, "dry-run", false, "read everything, store nothing")
	flags.BoolVar(&request.Again, "again", false, "bring back what was deleted")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printImport(result *archive.ImportResult, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, result); err != nil {
			return err
		}
	} else if files := tellingFiles(result.Files); len(files) > 0 {
		if err := importTable(files).print(a.out); err != nil {
			return err
		}
	}
	lost := importLosses(result)
	a.each(lost, a.warn)
	a.sayImported(result)
	if !result.Lossy() {
		return nil
	}
	return fmt.Errorf("%w: %s above", errImportLoss, count(len(lost), "warning", "warnings"))
}

// tellingFiles leaves out the files that hold nothing but what is known.
func tellingFiles(files []archive.FileResult) []archive.FileResult {
	return slices.DeleteFunc(slices.Clone(files), func(f archive.FileResult) bool {
		return f.Records == 0 && fileNote(f) == ""
	})
}

// importTable has what varies in width at the end.
func importTable(files []archive.FileResult) *grid {
	t := &grid{columns: []column{
		{name: "AGENT"}, {name: "STATUS"}, {name: "NEW", right: true}, {name: "KNOWN", right: true}, {name: "FILE"}, {name: "NOTE"},
	}}
	for _, f := range files {
		t.add(f.Harness, f.Status, group(f.Records), group(f.Known), f.Path, fileNote(f))
	}
	return t
}

// fileNote says what is odd about a file.
func fileNote(f archive.FileResult) string {
	var notes []string
	note := func(worth bool, text string) {
		if worth {
			notes = append(notes, text)
		}
	}
	note(f.Reason != "", f.Reason)
	note(f.LostTotal > 0, count(f.LostTotal, "part", "parts")+" lost")
	note(f.Deleted > 0, count(f.Deleted, "record", "records")+" of deleted sessions left out")
	note(f.CutAt != nil, "its last record is not whole yet")
	if len(f.Unknown) > 0 {
		note(true, "of unknown types: "+shorten(some(slices.Sorted(maps.Keys(f.Unknown)))))
	}
	return strings.Join(notes, "; ")
}

// importLosses tell what could not be read, a line each.
func importLosses(result *archive.ImportResult) []string {
	var texts []string
	for _, f := range result.Files {
		if f.Status == archive.FileFailed {
			texts = append(texts, f.Path+": "+f.Reason)
		}
		for _, l := range f.Lost {
			texts = append(texts, fmt.Sprintf("%s: at byte %s: %s", f.Path, group(l.Offset), l.Reason))
		}
		if more := f.LostTotal - len(f.Lost); more > 0 {
			texts = append(texts, fmt.Sprintf("%s: %s more", f.Path, group(more)))
		}
	}
	return append(texts, brokenTexts(result.Broken)...)
}

// brokenTexts tell which sessions could not be derived.
func brokenTexts(broken []archive.Broken) []string {
	texts := make([]string, len(broken))
	for i, b := range broken {
		texts[i] = fmt.Sprintf("session %s of %s can't be derived, its records are kept: %s", b.SessionID, b.Harness, b.Reason)
	}
	return texts
}

// sayImported sums up in one line.
func (a *app) sayImported(result *archive.ImportResult) {
	t := result.Totals
	if t.Files == 0 && t.Skipped == 0 && t.Failed == 0 {
		var places []string
		for _, p := range result.Places {
			places = append(places, p.Path)
		}
		a.note("no logs of agents found; looked in %s", some(places))
		return
	}
	if result.DryRun {
		a.note("%s in %s; nothing was stored, as --dry-run says", count(t.Records, "record", "records"), filesText(t))
		return
	}
	a.note("%s in %s; %s made or changed, %s s", count(t.Records, "new record", "new records"), filesText(t),
		count(result.Sessions, "session", "sessions"), seconds(result.TookS))
}

func filesText(t archive.ImportTotals) string {
	text := count(t.Files, "file", "files")
	if t.Unchanged > 0 {
		text += ", " + group(t.Unchanged) + " of them unchanged"
	}
	if t.Skipped > 0 {
		text += ", " + group(t.Skipped) + " skipped"
	}
	return text
}

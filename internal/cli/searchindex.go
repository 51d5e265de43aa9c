package cli

import (
	"github.com/spf13/cobra"

	"tapedeck/internal/search"
)

func newSearchIndex(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of the search up to date",
		Long: `Take all that is not in the index of the search yet into it, and end when there
is nothing left to do. What was done is kept when it is broken off.

tapedeck serve and tapedeck mcp do the same by themselves as sessions come in;
this command is for those who want to see it done.`,
		Example: `  tapedeck search index
  tapedeck search index --embedding-provider ollama`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSearch(cmd.Context(), func(s searcher) error {
				bar, report := a.progress()
				status, err := s.Index(cmd.Context(), report)
				bar.clear()
				if err != nil {
					return err
				}
				return a.printIndexed(status, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printIndexed(status *search.Status, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, status); err != nil {
			return err
		}
	}
	a.note("%s with %s of %s%s", count(status.Documents, "document", "documents"), count(status.Vectors, "vector", "vectors"),
		status.Embedder, leftText(status))
	return nil
}

// leftText says what could not be done.
func leftText(status *search.Status) string {
	if status.Missing == 0 {
		return ""
	}
	return "; " + count(status.Missing, "text has", "texts have") + " no vectors" + refusedText(status.SetAside)
}

package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"tapedeck/internal/search"
)

func newSearchStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how far the index of the search is",
		Long: `Tell what the index of the search holds, what is still to be done, and how the
embedder does, which is asked for that.`,
		Example: `  tapedeck search status`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSearch(cmd.Context(), func(s searcher) error {
				status, err := s.Status(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(a.out, status)
				}
				return statusTable(status).print(a.out)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func statusTable(s *search.Status) *grid {
	t := &grid{columns: []column{{name: "EMBEDDER"}, {name: s.Embedder}}}
	health := "well"
	if !s.Healthy {
		health = "failing"
	}
	t.add("health", health)
	if s.LastError != "" {
		t.add("error", s.LastError)
	}
	t.add("documents", group(s.Documents))
	t.add("traces to be read", group(s.Behind))
	t.add("texts without vectors", group(s.Missing)+refusedText(s.SetAside))
	t.add("vectors", group(s.Vectors))
	t.add("texts a second", strconv.FormatFloat(s.PerSecond, 'f', 1, 64))
	t.add("searched", orNone(s.Generation))
	if s.Filling != "" {
		t.add("being filled", s.Filling)
	}
	return t
}

func refusedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", of which the embedder refuses %s for now", group(n))
}

func orNone(text string) string {
	if text == "" {
		return "words only"
	}
	return text
}

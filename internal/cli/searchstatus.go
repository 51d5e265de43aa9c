package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tapedeck/internal/search"
)

func newSearchStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how far the index of the search is",
		Long: `Tell what the index of the search holds, what is still to be done and how fast
that goes, and how the embedder does, which is asked for that.`,
		Example: `  tapedeck search status`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSearch(cmd.Context(), func(s searcher) error {
				status, err := statusWithRate(cmd.Context(), s)
				if err != nil {
					return err
				}
				return a.printStatus(status, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// rateOver is over how long the rate is taken at which others take texts in: this
// command takes in none.
const rateOver = time.Second

// statusWithRate is the status, and how fast a backlog shrinks.
func statusWithRate(ctx context.Context, s searcher) (*search.Status, error) {
	before, err := s.Status(ctx)
	if err != nil || isFresh(before) {
		return before, err
	}
	begin := time.Now()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(rateOver):
	}
	status, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	embedded := before.Missing - status.Missing + status.Documents - before.Documents
	status.PerSecond = float64(max(0, embedded)) / time.Since(begin).Seconds()
	return status, nil
}

func (a *app) printStatus(status *search.Status, asJSON bool) error {
	if asJSON {
		return printJSON(a.out, status)
	}
	if err := statusTable(status).print(a.out); err != nil {
		return err
	}
	if status.Notice != "" {
		a.note("%s", status.Notice)
	}
	if !isFresh(status) && status.PerSecond == 0 {
		a.note("nothing is being taken in just now: tapedeck serve and tapedeck mcp do that, and tapedeck search index")
	}
	return nil
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
	if s.PerSecond > 0 {
		t.add("texts a second", strconv.FormatFloat(s.PerSecond, 'f', 1, 64))
	}
	t.add("searched", searchedText(s))
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

// searchedText says which vectors are searched beside the words.
func searchedText(s *search.Status) string {
	switch {
	case s.Generation != "":
		return s.Generation
	case s.Documents == 0:
		return "nothing is there yet"
	}
	return "words only"
}

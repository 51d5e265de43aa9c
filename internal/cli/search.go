package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
	"tapedeck/internal/session"
)

func newSearch(a *app) *cobra.Command {
	var request search.Request
	var asJSON, quiet bool
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find what was said and done in the sessions of AI agents",
		Long: `Find steps of agent sessions by meaning and by words, the best first: how a
thing was solved, which command failed, where a name came up. Words in double
quotes, names like foo_bar.go:120 and error codes are found as they are written.

Only the main conversations are searched unless --scope says otherwise:
subagents adds those of sub-agents, tools searches what tools were told and
gave, all searches everything.

What was written since the last time is taken into the index first, as far as
that takes no more than a moment; tapedeck search index waits for all of it. A
query that begins with the name of a command stands behind --.

TIME is RFC 3339, a date, or an age such as 36h, 7d or 2w.`,
		Example: `  tapedeck search "flaky upload race"
  tapedeck search --project web --after 30d --scope all '"connection reset by peer"'
  tapedeck search -q "flaky upload race" | head -1 | xargs tapedeck sessions show`,
		Args: nArgs(1, -1),
		RunE: func(cmd *cobra.Command, words []string) error {
			request.Query = strings.Join(words, " ")
			switch {
			case quiet && asJSON:
				return usageError(cmd, errors.New("--quiet and --json contradict one another"))
			case cmd.Flags().Changed("top") && request.TopK < 1:
				return usageError(cmd, fmt.Errorf("--top must be from 1 to %d", search.MaxTopK))
			}
			return a.withSearch(cmd.Context(), func(s searcher) error {
				found, err := searchFresh(cmd.Context(), s, request)
				if err != nil {
					return err
				}
				return a.printHits(found, asJSON, quiet)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVarP(&request.TopK, "top", "k", search.DefaultTopK, "show the best `N` hits, 100 at most")
	flags.StringVar(&request.Mode, "mode", "", "search by `WORD`: hybrid (the default), semantic or lexical")
	flags.StringVar(&request.Scope, "scope", "", "search in `WORD`: main (the default), subagents, tools or all")
	flags.StringVar(&request.SessionID, "session", "", "only in `SESSION`: an identifier, or its first characters (6 at least)")
	flags.StringVar(&request.Project, "project", "", "only of the project, or working folder, `NAME`")
	flags.StringVar(&request.Harness, "agent", "", "only of the agent `NAME`, such as claude-code")
	flags.StringVar(&request.Model, "model", "", "only of the model `NAME`")
	flags.StringVar(&request.After, "after", "", "only at or after this `TIME`")
	flags.StringVar(&request.Before, "before", "", "only before this `TIME`")
	flags.Float64Var(&request.MinScore, "min-score", 0, "only hits with this `SCORE`, from 0 to 1, or more")
	flags.BoolVarP(&quiet, "quiet", "q", false, "print the sessions' identifiers, each once, the best first")
	jsonFlag(cmd, &asJSON)
	cmd.AddCommand(newSearchStatus(a), newSearchIndex(a))
	return cmd
}

const (
	// freshenFor is how long a search waits for what is not in the index yet.
	freshenFor   = 2 * time.Second
	freshenEvery = 50 * time.Millisecond
)

// searchFresh searches, once the index has taken in what is new, or is too long
// at it.
func searchFresh(ctx context.Context, s searcher, r search.Request) (found *search.Answer, err error) {
	err = beside(ctx, s.Run, func(ctx context.Context) error {
		freshen(ctx, s)
		found, err = s.Search(ctx, r)
		return err
	})
	return found, err
}

func freshen(ctx context.Context, s searcher) {
	ctx, cancel := context.WithTimeout(ctx, freshenFor)
	defer cancel()
	for {
		status, err := s.Status(ctx)
		if err != nil || isFresh(status) {
			return // the search tells what is wrong
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(freshenEvery):
		}
	}
}

// isFresh reports whether waiting would bring nothing more into the index.
func isFresh(s *search.Status) bool {
	return s.Behind == 0 && (s.Missing <= s.SetAside || !s.Healthy || s.Embedder == "none")
}

func (a *app) printHits(found *search.Answer, asJSON, quiet bool) error {
	var err error
	switch {
	case asJSON:
		err = printJSON(a.out, found)
	case quiet:
		err = printSessionsOf(a.out, found.Results)
	default:
		v := hitsView{out: a.out, style: stylesFor(a.out), width: min(terminalWidth(a.out), widestPage)}
		err = v.print(found.Results)
	}
	if err != nil {
		return err
	}
	if found.Notice != "" {
		a.note("%s", found.Notice)
	}
	if found.Count > 0 && !asJSON && !quiet && isTerminal(a.err) {
		best := found.Results[0]
		a.note("read the best one: tapedeck sessions show %s --trace %s", best.SessionID[:min(shortID, len(best.SessionID))], best.TraceID)
	}
	return nil
}

// printSessionsOf prints the identifiers of the hits' sessions, each once.
func printSessionsOf(w io.Writer, hits []search.Hit) error {
	seen := map[string]bool{}
	for _, h := range hits {
		if seen[h.SessionID] {
			continue
		}
		seen[h.SessionID] = true
		if _, err := fmt.Fprintln(w, visible(h.SessionID)); err != nil {
			return err
		}
	}
	return nil
}

// A hitsView prints hits for people.
type hitsView struct {
	out   io.Writer
	style styles
	width int // of a line, in cells; 0: any
}

// hitIndent puts the texts of a hit behind its score.
const hitIndent = "      "

func (v hitsView) print(hits []search.Hit) error {
	sessions := make([]archive.SessionItem, len(hits))
	for i, h := range hits {
		sessions[i] = archive.SessionItem{Session: session.Session{ID: h.SessionID}}
	}
	short := shortIDs(sessions)
	var b strings.Builder
	for i, h := range hits {
		if i > 0 {
			b.WriteString("\n")
		}
		v.hit(&b, h, short[i])
	}
	_, err := io.WriteString(v.out, b.String())
	return err
}

func (v hitsView) hit(b *strings.Builder, h search.Hit, id string) {
	room := 0
	if v.width > 0 {
		room = max(v.width-len(hitIndent), leastCells)
	}
	line := func(before, text, after string) {
		if text != "" {
			b.WriteString(hitIndent + before + text + after + "\n")
		}
	}
	fmt.Fprintf(b, "%s%.2f%s  %s\n", v.style.bold, h.Score, v.style.reset, clipTo(visible(hitFacts(h)), room))
	title, prompt := flat(h.Title), flat(h.UserPrompt)
	line("", clipTo(title, room), "")
	if prompt != title && prompt != "" {
		line("", clipTo("❯ "+prompt, room), "")
	}
	for _, text := range emphasize(h.Snippet, h.Highlights, room, v.style) {
		line("", text, "")
	}
	line(v.style.faint, clipTo(visible(id+" "+h.TraceID), room), v.style.reset)
}

// hitFacts say when and where a hit was.
func hitFacts(h search.Hit) string {
	facts := []string{minute(h.StartedAt)}
	for _, fact := range []string{h.Project, h.Harness, h.Model} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	if h.Kind == session.KindTool {
		facts = append(facts, "tool")
	}
	if h.Similar > 0 {
		facts = append(facts, fmt.Sprintf("and %s like it", group(h.Similar)))
	}
	return strings.Join(facts, " · ")
}

// flat is a text on one line, cut where it is long.
func flat(text string) string { return visible(shorten(strings.Join(strings.Fields(text), " "))) }

// clipTo is a text cut to a width; 0: any.
func clipTo(text string, width int) string {
	if width <= 0 {
		return text
	}
	return clipCells(text, width)
}

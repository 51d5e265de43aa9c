package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func newSessionsShow(a *app) *cobra.Command {
	var which string
	var full, asJSON bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Read a session",
		Long: `Print a session as it went: for each turn what was asked, what was answered, a
line for each tool with what it was told and how it ended, then what the turn
took. Long texts are cut unless --full is given, which also prints what the
model thought and what the tools gave.

SESSION is an identifier, its first characters (6 at least), or the one that the
agent itself gave.`,
		Example: `  tapedeck sessions show 7a0c52f4 | less -R
  tapedeck sessions show 7a0c52f4 --trace 3 --full`,
		Args: nArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				found, err := ops.Session(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				v := &viewer{
					ops: ops, session: found, full: full, out: a.out,
					style: stylesFor(a.out), width: min(terminalWidth(a.out), widestPage),
				}
				switch {
				case asJSON && which == "":
					return printJSON(a.out, found)
				case which != "":
					trace, err := v.find(cmd.Context(), which)
					if err != nil {
						return err
					}
					if asJSON {
						return v.traceJSON(cmd.Context(), trace)
					}
					return v.trace(cmd.Context(), trace)
				}
				return v.all(cmd.Context())
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&which, "trace", "", "only turn `N`, as the session's own numbers count, or a trace_id")
	flags.BoolVar(&full, "full", false, "whole texts, thoughts and results")
	flags.BoolVar(&asJSON, "json", false, "print JSON: what is known of the session, or with --trace of that trace")
	return cmd
}

// A viewer prints one session for people.
type viewer struct {
	ops     archive.Operations
	session *archive.SessionDetail
	full    bool
	out     io.Writer
	style   styles
	width   int // of a line, in cells; 0: any
}

// What --full reads at a time: so many spans, with all their content.
const (
	wholeSpans = 20
	wholeText  = 1 << 30
)

// find is the trace that a number or trace_id names.
func (v *viewer) find(ctx context.Context, which string) (session.Trace, error) {
	number, err := strconv.Atoi(which)
	if err != nil {
		found, err := v.ops.Trace(ctx, archive.TraceRequest{TraceID: which, Content: archive.ContentNone, PageRequest: archive.PageRequest{Limit: 1}})
		if err != nil {
			return session.Trace{}, err
		}
		return found.Trace, nil
	}
	var trace *session.Trace
	err = v.traces(ctx, func(t session.Trace) error {
		if t.Seq != number-1 {
			return nil
		}
		trace = &t
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return session.Trace{}, err
	}
	if trace == nil {
		return session.Trace{}, fmt.Errorf("there is no turn %d: the session has %s", number, count(v.session.Counts.Traces, "turn", "turns"))
	}
	return *trace, nil
}

// errFound ends a walk that has found what it looked for.
var errFound = errors.New("found")

// traces walks all traces in order.
func (v *viewer) traces(ctx context.Context, visit func(session.Trace) error) error {
	page := archive.PageRequest{Limit: store.MaxLimit}
	for {
		list, err := v.ops.Traces(ctx, v.session.ID, page)
		if err != nil {
			return err
		}
		for _, t := range list.Traces {
			if err := visit(t); err != nil {
				return err
			}
		}
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			return nil
		}
	}
}

// spans walks the spans of a trace in order, with the links of each page.
func (v *viewer) spans(ctx context.Context, traceID string, visit func(*archive.TraceDetail) error) error {
	r := archive.TraceRequest{TraceID: traceID, Content: archive.ContentPreview, PageRequest: archive.PageRequest{Limit: store.MaxLimit}}
	if v.full {
		r.Content, r.MaxBytes, r.Limit = archive.ContentFull, wholeText, wholeSpans
	}
	for {
		part, err := v.ops.Trace(ctx, r)
		if err != nil {
			return err
		}
		if err := visit(part); err != nil {
			return err
		}
		if r.Cursor = part.NextCursor; r.Cursor == "" {
			return nil
		}
	}
}

// all prints the session from its head to its last turn.
func (v *viewer) all(ctx context.Context) error {
	if err := v.head(); err != nil {
		return err
	}
	return v.traces(ctx, func(t session.Trace) error { return v.trace(ctx, t) })
}

// head prints what is known of the session as a whole.
func (v *viewer) head() error {
	s := v.session
	t := &grid{columns: []column{{name: "SESSION"}, {name: s.ID}}}
	fact := func(name, value string) {
		if value != "" {
			t.add(name, value)
		}
	}
	fact("title", s.DisplayTitle)
	fact("agent", strings.TrimSpace(s.Harness+" "+s.HarnessVersion+" "+s.AgentType))
	fact("folder", s.Cwd)
	fact("branch", s.GitBranch)
	fact("started (UTC)", strings.TrimSpace(minute(s.StartedAt)+"  "+took(s.StartedAt, s.EndedAt)))
	fact("status", string(s.Status))
	for _, m := range s.Models {
		fact("model", m.Model+": "+usageWords(m.Usage))
	}
	fact("in all", count(s.Counts.Traces, "turn", "turns")+" · "+toolWords(s.Counts)+" · "+usageWords(s.Usage))
	if n := s.Subagents.Sessions; n > 0 {
		fact("sub-agents", count(n, "session", "sessions")+" · "+toolWords(s.Subagents.Counts)+" · "+usageWords(s.Subagents.Usage))
	}
	if s.Parent != nil {
		fact(string(s.Parent.Relation)+" of", s.Parent.SessionID)
	}
	fact("lower bounds", s.PartialReason)
	t.narrow(v.width)
	return t.print(v.out)
}

func toolWords(c session.Counts) string {
	words := count(c.ToolCalls, "tool call", "tool calls")
	if c.ToolErrors > 0 {
		words += ", " + group(c.ToolErrors) + " failed"
	}
	return words
}

// traceJSON prints a trace with all its spans.
func (v *viewer) traceJSON(ctx context.Context, t session.Trace) error {
	var whole *archive.TraceDetail
	err := v.spans(ctx, t.ID, func(part *archive.TraceDetail) error {
		if whole == nil {
			whole = part
			return nil
		}
		whole.Spans = append(whole.Spans, part.Spans...)
		whole.Links = append(whole.Links, part.Links...)
		whole.Cut = whole.Cut || part.Cut
		return nil
	})
	if err != nil {
		return err
	}
	whole.NextCursor = ""
	return printJSON(v.out, whole)
}

package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Dump is all that must be equal in stores that hold the same records, as text:
// streams, raw records and what was derived from them, read through the public
// interface. What depends on when and how the records came is left out: versions,
// checkpoints, sources.
func Dump(ctx context.Context, s store.Store) (string, error) {
	d := dump{ctx: ctx, store: s}
	for _, part := range []func() error{d.streams, d.sessions, d.stats, d.info} {
		if err := part(); err != nil {
			return "", err
		}
	}
	return d.text.String(), nil
}

type dump struct {
	ctx   context.Context
	store store.Store
	text  strings.Builder
}

// line adds what has a JSON form.
func (d *dump) line(what string, values ...any) error {
	d.text.WriteString(what)
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("dump: %s: %w", what, err)
		}
		d.text.WriteByte(' ')
		d.text.Write(text)
	}
	d.text.WriteByte('\n')
	return nil
}

func (d *dump) streams() error {
	const part = 1000
	var after session.Ref
	for {
		streams, err := d.store.Streams(d.ctx, after, part)
		if err != nil {
			return fmt.Errorf("dump: streams: %w", err)
		}
		for _, s := range streams {
			if err := d.stream(s); err != nil {
				return fmt.Errorf("dump: stream %v: %w", s.Ref, err)
			}
			after = s.Ref
		}
		if len(streams) < part {
			return nil
		}
	}
}

func (d *dump) stream(s store.Stream) error {
	if err := d.line("stream", s.Ref, s.Facts, s.Records, s.Shared); err != nil {
		return err
	}
	raw, err := allPages(store.MaxLimit, func(p store.Page) (store.List[store.RawRecord], error) {
		return d.store.Raw(d.ctx, s.Ref.SessionID(), false, p)
	})
	if err != nil {
		return fmt.Errorf("raw: %w", err)
	}
	for _, r := range raw {
		if err := d.line("  raw", r); err != nil {
			return err
		}
	}
	for r, err := range d.store.Records(d.ctx, s.Ref, session.Place{}) {
		if err != nil {
			return fmt.Errorf("records: %w", err)
		}
		sum := sha256.Sum256(r.Body)
		r.Body = sum[:]
		if err := d.line("  record", r); err != nil {
			return err
		}
	}
	siblings, err := d.store.Siblings(d.ctx, s.Ref)
	if err != nil {
		return fmt.Errorf("siblings: %w", err)
	}
	for _, b := range siblings {
		if err := d.line("  sibling", b.Stream.Ref, b.Shared, b.FirstOwn, b.FirstOwnOther); err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) sessions() error {
	filter := store.SessionFilter{Children: true, Internal: true, Sort: store.SortStarted, Ascending: true}
	sessions, err := allPages(store.MaxLimit, func(p store.Page) (store.List[session.Session], error) {
		return d.store.Sessions(d.ctx, filter, p)
	})
	if err != nil {
		return fmt.Errorf("dump: sessions: %w", err)
	}
	for _, s := range sessions {
		if err := d.session(s); err != nil {
			return fmt.Errorf("dump: session %s: %w", s.ID, err)
		}
	}
	return nil
}

func (d *dump) session(s session.Session) error {
	if err := d.line("session", s); err != nil {
		return err
	}
	traces, err := allPages(store.MaxLimit, func(p store.Page) (store.List[session.Trace], error) {
		return d.store.Traces(d.ctx, s.ID, p)
	})
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	for _, t := range traces {
		if err := d.trace(t); err != nil {
			return err
		}
	}
	links, err := d.store.Links(d.ctx, s.ID, "")
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	rollup, err := d.store.Rollup(d.ctx, s.ID)
	if err != nil {
		return fmt.Errorf("rollup: %w", err)
	}
	return d.line("  links and rollup", links, rollup)
}

func (d *dump) trace(t session.Trace) error {
	if err := d.line("  trace", t); err != nil {
		return err
	}
	spans, err := allPages(store.MaxLimit, func(p store.Page) (store.List[session.Span], error) {
		return d.store.Spans(d.ctx, t.ID, true, p)
	})
	if err != nil {
		return fmt.Errorf("spans: %w", err)
	}
	for _, s := range spans {
		if err := d.line("    span", s); err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) stats() error {
	for _, by := range []store.StatsBy{store.ByNothing, store.ByDay, store.ByModel, store.ByProject, store.ByHarness} {
		stats, err := d.store.Stats(d.ctx, store.SessionFilter{}, by)
		if err != nil {
			return fmt.Errorf("dump: stats: %w", err)
		}
		if err := d.line("stats", stats); err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) info() error {
	info, err := d.store.Info(d.ctx)
	if err != nil {
		return fmt.Errorf("dump: info: %w", err)
	}
	return d.line("info", info.Streams, info.Records, info.Sessions, info.Deleted)
}

// allPages is every item of a listing, read in pages of the given size.
func allPages[T any](size int, list func(store.Page) (store.List[T], error)) ([]T, error) {
	var items []T
	page := store.Page{Limit: size}
	for {
		part, err := list(page)
		if err != nil {
			return nil, err
		}
		items = append(items, part.Items...)
		if part.Next == "" {
			if part.Total != int64(len(items)) {
				return nil, fmt.Errorf("%d items came of %d", len(items), part.Total)
			}
			return items, nil
		}
		if part.Next == page.Cursor {
			return nil, fmt.Errorf("the cursor does not go on behind item %d", len(items))
		}
		page.Cursor = part.Next
	}
}

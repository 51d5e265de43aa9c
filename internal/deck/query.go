package deck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/nearest"
	"tapedeck/internal/query"
	"tapedeck/internal/table"
)

// Query answers a statement about the loaded tables. Tables that were evicted
// come back when a statement names them.
func (d *Deck) Query(ctx context.Context, r QueryRequest) (*QueryResult, error) {
	request, err := queryRequest(r)
	if err != nil {
		return nil, err
	}
	var result *query.Result
	err = d.withTables(ctx, func(c *query.Catalog) (err error) {
		result, err = d.pool.Query(ctx, c, request)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.set.Use(result.Tables)
	return result, nil
}

// Stream answers a statement row by row, for faces that write files.
func (d *Deck) Stream(ctx context.Context, r QueryRequest, sink query.Sink) (query.Summary, error) {
	request, err := queryRequest(r)
	if err != nil {
		return query.Summary{}, err
	}
	var summary query.Summary
	err = d.withTables(ctx, func(c *query.Catalog) (err error) {
		summary, err = d.pool.Stream(ctx, c, request, sink)
		return err
	})
	d.set.Use(summary.Tables)
	return summary, err
}

// Export writes the answer to a statement to a file, in full, and returns how
// many rows it has. The only format is "parquet".
func (d *Deck) Export(ctx context.Context, sql, format, path string) (rows int64, err error) {
	err = d.withTables(ctx, func(c *query.Catalog) (err error) {
		rows, err = d.pool.Export(ctx, c, sql, format, path)
		return err
	})
	return rows, err
}

func queryRequest(r QueryRequest) (query.Request, error) {
	switch {
	case strings.TrimSpace(r.SQL) == "":
		return query.Request{}, &Error{Code: CodeBadArgument, Message: "sql is empty", Hint: "such as SELECT * FROM imu LIMIT 5; SHOW TABLES lists what is loaded"}
	case r.Limit < 0 || r.MaxBytes < 0 || r.TimeoutS < 0:
		return query.Request{}, &Error{Code: CodeBadArgument, Message: "limits must not be negative", Hint: "leave them out for the configured ones"}
	}
	return query.Request{SQL: r.SQL, MaxRows: r.Limit, MaxBytes: r.MaxBytes, Timeout: time.Duration(r.TimeoutS * float64(time.Second))}, nil
}

// withTables runs a statement, and again each time that it named a table which
// is loaded but not attached, with this and the ones before attached.
func (d *Deck) withTables(ctx context.Context, run func(*query.Catalog) error) error {
	var named []string
	var missing *query.MissingTableError
	d.set.DetachLost()
	visible := d.set.Catalog()
	for {
		err := run(catalog(visible))
		if err == nil {
			return nil
		}
		switch {
		case errors.As(err, &missing):
			name := tableName(missing.Table)
			if slices.Contains(named, name) {
				return d.missingTable(ctx, missing)
			}
			named = append(named, name)
		case errors.Is(err, query.ErrWorker) && d.set.DetachLost():
			// a table file went between the look at it and the start of the worker
		default:
			return queryError(err)
		}
		if visible, err = d.attach(ctx, named); errors.Is(err, errNotLoaded) {
			return d.missingTable(ctx, missing)
		}
		if err != nil {
			return err
		}
	}
}

// tableName is a table's name without the schema that statements see it in.
func tableName(written string) string {
	for _, prefix := range []string{"memory.", "main."} {
		if len(written) > len(prefix) && strings.EqualFold(written[:len(prefix)], prefix) {
			written = written[len(prefix):]
		}
	}
	return written
}

var errNotLoaded = errors.New("the table is not loaded")

// attach attaches tables together and makes those again whose files are gone.
func (d *Deck) attach(ctx context.Context, tables []string) (visible table.Catalog, err error) {
	visible = d.set.Catalog()
	for i, name := range tables {
		held, ok := d.set.Holder(name)
		if !ok {
			return visible, errNotLoaded
		}
		if held.Lost() {
			if err := d.makeAgain(ctx, held); err != nil {
				return visible, err
			}
		}
		// One by one: what is attached is not removed from the cache for the next.
		if visible, ok = d.set.Attach(tables[:i+1]); !ok {
			return visible, errNotLoaded
		}
	}
	return visible, nil
}

// makeAgain makes a load again whose file someone removed from the cache.
func (d *Deck) makeAgain(ctx context.Context, lost table.Visible) error {
	rec, err := d.library.Open(ctx, lost.Path)
	if err == nil && rec.Fingerprint != lost.Load.Manifest.Fingerprint {
		err = errors.Join(errors.New("the recording has changed"), rec.Close())
	}
	if err == nil {
		_, _, err = d.cache.Load(ctx, source(rec), d.decoders, lost.Load.Manifest.Options, nil)
		err = errors.Join(err, rec.Close())
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ended(ctx.Err())
	}
	gone := d.set.Forget(lost.Load.Key)
	return &Error{Code: CodeMissingTable, Message: fmt.Sprintf("the tables of %s were removed from the cache and can't be made again: %v", lost.Path, err),
		Hint: "load the recording again; gone: " + strings.Join(gone, ", "), LoadedTables: d.set.Names(), Err: err}
}

// missingTable tells which tables there are, and which recordings could bring
// the one that is not.
func (d *Deck) missingTable(ctx context.Context, missing *query.MissingTableError) error {
	e := &Error{Code: CodeMissingTable, Message: fmt.Sprintf("table %q is not loaded", missing.Table), LoadedTables: d.set.Names(), Err: missing}
	e.Nearest = nearest.Nearest(missing.Table, e.LoadedTables, 3)
	found := d.recordingsWith(ctx, tableName(missing.Table))
	for _, f := range found {
		e.FoundIn = append(e.FoundIn, f.recording)
	}
	switch {
	case len(found) > 0 && found[0].alias != "":
		e.Hint = fmt.Sprintf("load it first: load_recording with file %q and alias %q", found[0].recording, found[0].alias)
	case len(found) > 0:
		e.Hint = fmt.Sprintf("load it first: load_recording with file %q", found[0].recording)
	case len(e.LoadedTables) == 0:
		e.Hint = "nothing is loaded: call list_recordings, then load_recording with the file that has the topic"
	default:
		e.Hint = "use one of loaded_tables, or load_recording the file that has the topic"
	}
	return e
}

// finding is a recording whose load under an alias, or under none, has a table.
type finding struct{ recording, alias string }

// recordingsWith are up to five recordings in the data folders that have a topic
// whose table bears a name, those first that need no alias for it, then those
// that need the shortest.
func (d *Deck) recordingsWith(ctx context.Context, name string) []finding {
	ctx, cancel := context.WithTimeout(ctx, folderScan)
	defer cancel()
	entries, _, err := d.library.Scan(ctx, "", nil)
	if err != nil {
		d.log.Debug("the data folders were not searched for a missing table", "error", err)
		return nil
	}
	var found []finding
	for _, e := range entries {
		if alias, ok := aliasFor(name, table.NamesOf(e.Summary.Channels, d.decoders)); ok {
			found = append(found, finding{e.Rel, alias})
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(len(a.alias), len(b.alias)) })
	return found[:min(len(found), 5)]
}

// aliasFor is the shortest alias under which one of a recording's tables bears a name.
func aliasFor(name string, tables []string) (alias string, ok bool) {
	for _, t := range tables {
		before := len(name) - len(t)
		if before < 0 || !strings.EqualFold(name[before:], t) {
			continue
		}
		if before == 0 {
			return "", true
		}
		candidate, isAlias := strings.CutSuffix(name[:before], "_")
		if isAlias && table.ValidAlias(candidate) && (!ok || len(candidate) < len(alias)) {
			alias, ok = candidate, true
		}
	}
	return alias, ok
}

// catalog hands what is loaded on to the query workers.
func catalog(c table.Catalog) *query.Catalog {
	out := &query.Catalog{Version: c.Version}
	for _, f := range c.Files {
		out.Files = append(out.Files, query.File(f))
	}
	for _, v := range c.Views {
		out.Views = append(out.Views, query.View(v))
	}
	for _, r := range c.Recordings {
		out.Recordings = append(out.Recordings, query.Recording(r))
	}
	return out
}

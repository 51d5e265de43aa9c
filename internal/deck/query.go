package deck

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// maxAttached bounds how many evicted tables one statement may bring back.
const maxAttached = 100

// withTables runs a statement, and again when it named tables that were
// evicted, with these attached.
func (d *Deck) withTables(ctx context.Context, run func(*query.Catalog) error) error {
	if err := d.restore(ctx); err != nil {
		return err
	}
	for range maxAttached {
		err := run(catalog(d.set.Catalog()))
		var missing *query.MissingTableError
		if !errors.As(err, &missing) {
			if err == nil {
				return nil
			}
			return queryError(err)
		}
		if _, attached := d.set.Attach(missing.Table); !attached {
			return d.missingTable(ctx, missing)
		}
	}
	return &Error{Code: CodeMemory, Message: "the statement needs more tables than can be attached", Hint: "name fewer tables, or raise memory_budget_mb"}
}

// restore makes loads again whose files someone removed from the cache.
func (d *Deck) restore(ctx context.Context) error {
	for _, l := range d.set.Loads() {
		if _, err := os.Stat(l.Load.Tables); err == nil {
			continue
		}
		rec, err := d.library.Open(ctx, l.Path)
		if err == nil && rec.Fingerprint != l.Load.Manifest.Fingerprint {
			err = errors.Join(errors.New("the recording has changed"), rec.Close())
		}
		if err == nil {
			_, _, err = d.cache.Load(ctx, source(rec), d.decoders, l.Load.Manifest.Options, nil)
			err = errors.Join(err, rec.Close())
		}
		if err != nil {
			gone := d.set.Forget(l.Load.Key)
			return &Error{Code: CodeMissingTable, Message: fmt.Sprintf("the tables of %s were removed from the cache and can't be made again: %v", l.Path, err),
				Hint: "load the recording again; gone: " + strings.Join(gone, ", "), LoadedTables: d.set.Names(), Err: err}
		}
	}
	return nil
}

// missingTable tells which tables there are, and which recordings could bring
// the one that is not.
func (d *Deck) missingTable(ctx context.Context, missing *query.MissingTableError) error {
	e := &Error{Code: CodeMissingTable, Message: fmt.Sprintf("table %q is not loaded", missing.Table), LoadedTables: d.set.Names(), Err: missing}
	e.Nearest = nearest.Nearest(missing.Table, e.LoadedTables, 3)
	e.FoundIn = d.recordingsWith(ctx, missing.Table)
	switch {
	case len(e.FoundIn) > 0:
		e.Hint = fmt.Sprintf("load it first: load_recording with file %q", e.FoundIn[0])
	case len(e.LoadedTables) == 0:
		e.Hint = "nothing is loaded: call list_recordings, then load_recording with the file that has the topic"
	default:
		e.Hint = "use one of loaded_tables, or load_recording the file that has the topic"
	}
	return e
}

// recordingsWith are up to five recordings in the data folders that have a
// topic whose table bears a name, with or without an alias in front.
func (d *Deck) recordingsWith(ctx context.Context, name string) []string {
	ctx, cancel := context.WithTimeout(ctx, folderScan)
	defer cancel()
	entries, _, err := d.library.Scan(ctx, "", nil)
	if err != nil {
		d.log.Debug("the data folders were not searched for a missing table", "error", err)
		return nil
	}
	var found []string
	for _, e := range entries {
		for _, table := range table.NamesOf(e.Summary.Channels) {
			if len(found) < 5 && (strings.EqualFold(table, name) || hasSuffixFold(name, "_"+table)) {
				found = append(found, e.Rel)
				break
			}
		}
	}
	return found
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
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

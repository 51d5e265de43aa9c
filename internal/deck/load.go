package deck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/library"
	"tapedeck/internal/table"
)

// Load makes a recording's tables, or finds them made, and lets queries see
// them. A load that fails changes nothing.
func (d *Deck) Load(ctx context.Context, r LoadRequest, p Progress) (*LoadResult, error) {
	began := time.Now()
	options, err := d.loadOptions(r)
	if err != nil {
		return nil, err
	}
	rec, err := d.open(ctx, r.File)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if err := knownTopics(rec.Rel, rec.Summary, r.Topics); err != nil {
		return nil, err
	}
	load, cached, err := d.cache.Load(ctx, source(rec), d.decoders, options, byteProgress(p))
	if err != nil {
		return nil, loadError(r.File, err)
	}
	added := d.set.Add(load, r.Alias, rec.Path)
	d.warm()
	result := d.loadResult(rec, r.Alias, load, added)
	result.FromCache = cached
	result.LoadTimeS = math.Round(time.Since(began).Seconds()*1000) / 1000
	return result, nil
}

// warm starts a worker for what is loaded now, so that the first query need
// not wait for it. A deck with one worker serves a command that may not query.
func (d *Deck) warm() {
	if d.opt.Pool.MaxWorkers != 1 {
		d.pool.Warm(catalog(d.set.Catalog()))
	}
}

func byteProgress(p Progress) table.Progress {
	if p == nil {
		return nil
	}
	return func(done, total int64) { p(uint64(done), uint64(total), "bytes read") }
}

// memoryHint names what makes a load smaller; only large messages make it large.
const memoryHint = `load less of the large messages, with start_time and end_time, downsample or blobs "omit"; or raise worker_memory_mb`

func loadError(file string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ended(err)
	}
	e := &Error{Code: CodeInternal, Message: fmt.Sprintf("loading %s: %v", file, err), Err: err}
	if _, ok := errors.AsType[*table.MemoryError](err); ok {
		e.Code, e.Hint = CodeMemory, memoryHint
	}
	return e
}

// loadOptions checks a request.
func (d *Deck) loadOptions(r LoadRequest) (table.Options, error) {
	o := table.Options{MessageColumns: r.MessageColumns, FlattenDepth: d.opt.FlattenDepth, Downsample: r.Downsample}
	if r.Alias != "" && !table.ValidAlias(r.Alias) {
		return o, &Error{Code: CodeBadAlias, Message: fmt.Sprintf("alias %q can't stand in front of table names", r.Alias),
			Hint: "letters, digits and _, beginning with a letter, at most 63, such as r1"}
	}
	if r.Downsample < 0 {
		return o, &Error{Code: CodeBadArgument, Message: fmt.Sprintf("downsample %d is negative", r.Downsample), Hint: "10 keeps the first of each 10 messages of a topic"}
	}
	if r.Topics != nil {
		o.Topics = slices.Clone(r.Topics)
		if len(r.Topics) == 0 {
			return o, &Error{Code: CodeBadArgument, Message: "topics is an empty list", Hint: "leave topics out to load all of them"}
		}
	}
	switch o.Blobs = table.Blobs(r.Blobs); o.Blobs {
	case table.BlobsAuto, table.BlobsLoad, table.BlobsOmit:
	default:
		return o, &Error{Code: CodeBadArgument, Message: fmt.Sprintf("blobs %q is not known", r.Blobs), Hint: `"load" brings the bytes of large messages, "omit" leaves all bytes out`}
	}
	var err error
	if r.StartTime != "" {
		if o.From, err = parseTime("start_time", r.StartTime, true); err != nil {
			return o, err
		}
	}
	if r.EndTime != "" {
		o.HasUntil = true
		if o.Until, err = parseTime("end_time", r.EndTime, true); err != nil {
			return o, err
		}
		if o.Until <= o.From {
			return o, &Error{Code: CodeBadTime, Message: fmt.Sprintf("end_time %s is not after start_time %s", r.EndTime, cmp.Or(r.StartTime, "0")),
				Hint: "start_time is included, end_time is not"}
		}
	}
	return o, nil
}

func (d *Deck) loadResult(rec *library.Recording, alias string, load *table.Load, added table.Added) *LoadResult {
	m := load.Manifest
	r := &LoadResult{Status: "loaded", File: rec.Rel, Alias: alias, Tables: map[string]LoadedTable{}, SkippedTopics: []string{},
		MemoryMB: hundredths(float64(load.Bytes) / (1 << 20)), MemoryUsedMB: hundredths(d.set.AttachedMB()), MemoryBudgetMB: d.set.BudgetMB(),
		EvictedTables: added.Evicted, ReplacedTables: added.Replaced, Warnings: slices.Clone(m.Warnings), Lossy: m.Lossy, Undecoded: map[string]Undecoded{}}
	for name, t := range added.Tables {
		loaded := LoadedTable{Rows: t.Rows, Columns: len(t.Columns), Topic: t.Topic, SQLName: quotedName(name)}
		for _, c := range t.Columns {
			if c.OmittedBlob != "" {
				loaded.OmittedColumns = append(loaded.OmittedColumns, c.OmittedBlob)
			}
		}
		r.Tables[name] = loaded
		r.TotalRows += t.Rows
	}
	r.skipped(m)
	for topic, u := range m.Undecoded {
		r.Undecoded[topic] = Undecoded{u.Messages, u.Reason}
	}
	if len(added.Evicted) > 0 {
		r.EvictionWarning = "the memory budget was passed: the tables in evicted_tables were detached; a query that names one attaches it again by itself"
	}
	if r.TotalRows == 0 && m.MessageCount > 0 && (m.Options.From > 0 || m.Options.HasUntil) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("no message lies in the time window: the recording runs from %s to %s", formatTime(m.Start), formatTime(m.End)))
	}
	return r
}

// skipped tells the topics that have no table, or only a part of one.
func (r *LoadResult) skipped(m *table.Manifest) {
	var reasons []string
	for _, s := range m.Skipped {
		r.Skipped = append(r.Skipped, SkippedTopic{s.Topic, s.Reason})
		if !slices.ContainsFunc(m.Tables, func(t table.Table) bool { return t.Topic == s.Topic }) {
			r.SkippedTopics = append(r.SkippedTopics, s.Topic)
		}
		if !slices.Contains(reasons, s.Reason) {
			reasons = append(reasons, s.Reason)
		}
	}
	if len(reasons) > 0 {
		reason := strings.Join(reasons[:min(len(reasons), 5)], "; ")
		r.SkippedReason = &reason
	}
}

func hundredths(x float64) float64 { return math.Round(x*100) / 100 }

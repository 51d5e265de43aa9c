package query

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Export writes all rows of a statement to a file, in the form "parquet", "csv" or "json",
// and says how many there were. The file appears whole or not at all; one that is there
// is replaced. There is no limit but ctx.
func (p *Pool) Export(ctx context.Context, c *Catalog, sql, format, path string) (int64, error) {
	if _, ok := exportFormats[format]; !ok {
		return 0, fmt.Errorf("format %q is not known, there are %q", format, slices.Sorted(maps.Keys(exportFormats)))
	}
	if there, err := os.Stat(path); err == nil && !there.Mode().IsRegular() {
		return 0, fmt.Errorf("exporting to %s: it is no file that could be replaced", path)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".tapedeck-export-*")
	if err != nil {
		return 0, fmt.Errorf("exporting to %s: %w", path, err)
	}
	defer os.RemoveAll(folder)
	folder, err = filepath.Abs(folder)
	if err != nil {
		return 0, fmt.Errorf("exporting to %s: %w", path, err)
	}
	written := filepath.Join(folder, filepath.Base(path))
	rows, err := p.export(ctx, c, sql, format, written)
	if err != nil {
		return 0, err
	}
	if err := os.Rename(written, path); err != nil {
		return 0, fmt.Errorf("exporting to %s: %w", path, err)
	}
	return rows, nil
}

// export lets a worker of its own, which may write that one file, execute the statement.
func (p *Pool) export(ctx context.Context, c *Catalog, sql, format, path string) (int64, error) {
	w, err := startProcess(ctx, p.options.Executable, p.workerArg, p.setup(c, path))
	if err != nil {
		return 0, err
	}
	defer w.close()
	o, err := w.ask(ctx, statement{SQL: sql, Format: format}, noRows{})
	if err == nil {
		err = o.Failure.err()
	}
	return int64(o.Rows), err
}

// noRows is the sink of a statement that answers with nothing but its outcome.
type noRows struct{}

func (noRows) Columns([]string, []string) error { return nil }
func (noRows) Row(json.RawMessage) error        { return nil }

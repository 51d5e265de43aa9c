package archive

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
)

// TuneForImport sets up the garbage collector of a process that does nothing but
// import. It lets more than usual lie while there is little, which saves a tenth
// of the time, and has a limit: the longest lines leave twice their size behind,
// which would else be cleared away too late.
func TuneForImport() {
	debug.SetGCPercent(300)
	debug.SetMemoryLimit(192 << 20)
}

// Import takes what is new in the files of r, and derives what changed by it.
func (a *Archive) Import(ctx context.Context, r ImportRequest, p Progress) (*ImportResult, error) {
	if err := a.checkHarness(r.Harness); err != nil {
		return nil, err
	}
	done, err := a.begin(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	defer done()
	if r.Again && !r.DryRun {
		if err := a.restore(ctx, r); err != nil {
			return nil, storeError(err)
		}
	}
	result, err := a.importFiles(ctx, a.newImporting(r, p))
	return result, storeError(err)
}

// An importing is one import at work.
type importing struct {
	*Archive
	request  ImportRequest
	progress Progress
	began    time.Time
	looked   time.Duration // what finding the files took

	sources map[string]store.Source // what was read before
	seen    map[string]bool         // files that were found
	only    map[string]bool         // files to look at, instead of folders; nil: all
	failed  map[string]state        // files to leave alone while they look like this
	rereads bool                    // unchanged files are read as well
	jobs    []*job
	result  *ImportResult
	derived derivation
	bytes   progressBytes

	unfinished streamSet
}

func (a *Archive) newImporting(r ImportRequest, p Progress) *importing {
	return &importing{
		Archive: a, request: r, progress: p, began: time.Now(), seen: map[string]bool{},
		result: &ImportResult{Files: []FileResult{}, Places: []Place{}, Broken: []Broken{}, DryRun: r.DryRun},
	}
}

// importFiles is an import from the look through the folders to the result.
func (a *Archive) importFiles(ctx context.Context, m *importing) (*ImportResult, error) {
	if err := m.find(ctx); err != nil {
		return nil, err
	}
	if err := m.take(ctx); err != nil {
		return nil, err
	}
	if !m.request.DryRun {
		if err := a.derivePending(ctx, &m.derived, allWorkers(), nil, m.progress); err != nil {
			return nil, err
		}
	}
	return m.finish(), nil
}

// find looks for the files to read.
func (m *importing) find(ctx context.Context) (err error) {
	defer func() { m.looked = time.Since(m.began) }()
	roots, err := m.roots()
	if err != nil {
		return err
	}
	if m.sources, err = m.store.Sources(ctx); err != nil {
		return err
	}
	return m.discover(ctx, roots)
}

// finish sums up.
func (m *importing) finish() *ImportResult {
	r := m.result
	for _, j := range m.jobs {
		t, f := &r.Totals, &j.result
		t.Bytes += f.Bytes
		t.Records += f.Records
		t.Known += f.Known
		t.Deleted += f.Deleted
		t.Lost += f.LostTotal
		for _, n := range f.Unknown {
			t.Unknown += n
		}
		switch f.Status {
		case FileFailed:
			t.Failed++
		case FileSkipped:
			t.Skipped++
		}
		m.tell(*f)
	}
	slices.SortStableFunc(r.Files, func(a, b FileResult) int { return cmp.Compare(a.Path, b.Path) })
	r.Sessions, r.Broken = len(m.derived.sessions), emptied(m.derived.broken)
	r.Took = time.Since(m.began)
	r.TookS = r.Took.Seconds()
	return r
}

func (m *importing) tell(f FileResult) {
	f.Lost = emptied(f.Lost)
	if f.Unknown == nil {
		f.Unknown = map[string]int{}
	}
	m.result.Files = append(m.result.Files, f)
}

// restore lifts the tombstones of all that the request reaches. Of single files
// that is known only once they were read.
func (a *Archive) restore(ctx context.Context, r ImportRequest) error {
	if len(r.Paths) == 0 && r.Harness == "" {
		_, err := a.store.Restore(ctx)
		return err
	}
	m := a.newImporting(ImportRequest{Paths: r.Paths, Harness: r.Harness, DryRun: true}, nil)
	m.rereads = true
	if err := m.find(ctx); err != nil {
		return err
	}
	refs := map[session.Ref]bool{}
	for _, j := range m.jobs {
		j.before = store.Source{} // from the start
		sink := &countingSink{job: j, refs: refs}
		m.read(ctx, j, transcript.Cursor{}, sink)
	}
	if len(refs) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := a.store.Restore(ctx, sortedRefs(refs)...)
	return err
}

func sortedRefs(refs map[session.Ref]bool) []session.Ref {
	list := make([]session.Ref, 0, len(refs))
	for ref := range refs {
		list = append(list, ref)
	}
	slices.SortFunc(list, func(a, b session.Ref) int {
		return cmp.Or(cmp.Compare(a.Harness, b.Harness), cmp.Compare(a.Key, b.Key))
	})
	return list
}

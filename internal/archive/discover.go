package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
)

// A root is a place to look through.
type root struct {
	path      string // links resolved
	importers []transcript.Importer
	places    []int // in ImportResult.Places
	asked     bool  // the caller named it: what is not taken there is told
}

// A state is how a file looks to its folder: when it is the same, so is the file.
type state struct {
	size    int64
	modTime int64
}

// maxSkipped bounds how many files are listed that no importer claims.
const maxSkipped = 1000

// skippedFolders hold nothing that an agent recorded, and a lot of it.
var skippedFolders = []string{"node_modules", ".git"}

// roots are where a request has files looked for.
func (m *importing) roots() ([]root, error) {
	importers := m.importers
	if m.request.Harness != "" {
		importers = []transcript.Importer{m.importer(m.request.Harness)}
	}
	if len(m.request.Paths) > 0 {
		return m.askedRoots(importers)
	}
	var roots []root
	for _, importer := range importers {
		for _, path := range importer.Places(m.env) {
			resolved, err := resolve(path)
			m.result.Places = append(m.result.Places, Place{Harness: importer.Harness(), Path: path, Found: err == nil})
			if err != nil {
				continue
			}
			at := slices.IndexFunc(roots, func(r root) bool { return r.path == resolved })
			if at < 0 {
				at = len(roots)
				roots = append(roots, root{path: resolved})
			}
			roots[at].importers = append(roots[at].importers, importer)
			roots[at].places = append(roots[at].places, len(m.result.Places)-1)
		}
	}
	return roots, nil
}

// askedRoots are the paths of the request, which must be there.
func (m *importing) askedRoots(importers []transcript.Importer) ([]root, error) {
	var roots []root
	for _, path := range m.request.Paths {
		resolved, err := resolve(path)
		if err == nil {
			err = readable(resolved)
		}
		if err != nil {
			return nil, pathError(path, err)
		}
		m.result.Places = append(m.result.Places, Place{Harness: m.request.Harness, Path: path, Found: true})
		roots = append(roots, root{path: resolved, importers: importers, places: []int{len(m.result.Places) - 1}, asked: true})
	}
	return roots, nil
}

// resolve is the one name of a file: absolute, without links.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

var errNoFile = errors.New("it is neither a file nor a folder")

// readable checks that a path can be looked at, without waiting for a pipe.
func readable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return errNoFile
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func pathError(path string, err error) error {
	e := &Error{Code: CodePath, Message: fmt.Sprintf("%s can't be read: %v", path, causeOf(err)), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Message, e.Hint = path+" is not there", "check the name; without a path the usual places of each agent are looked through"
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "check who may read it"
	}
	return e
}

// causeOf is err without the name of the file, which stands beside it.
func causeOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// discover looks through the roots for files that are new or changed.
func (m *importing) discover(ctx context.Context, roots []root) error {
	for _, r := range roots {
		if err := m.lookThrough(ctx, r); err != nil {
			return err
		}
	}
	// The newest first: it is what is asked for first.
	slices.SortStableFunc(m.jobs, func(a, b *job) int { return cmp.Compare(b.state.modTime, a.state.modTime) })
	return nil
}

func (m *importing) lookThrough(ctx context.Context, r root) error {
	info, err := os.Stat(r.path)
	switch {
	case err != nil:
		m.refuse(r.path, err)
	case m.only != nil:
		m.look(r)
	case info.IsDir():
		return m.walk(ctx, r, r.path)
	default:
		m.found(r, r.path, info, fileExists(r.path+walSuffix))
	}
	return ctx.Err()
}

// look looks at single files of a root.
func (m *importing) look(r root) {
	for path := range m.only {
		if !within(path, r.path) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			m.found(r, path, info, fileExists(path+walSuffix))
		}
	}
}

// walk looks through a folder. Links are not followed: what they point to in
// here is found anyway, and what is outside was not asked for.
func (m *importing) walk(ctx context.Context, r root, folder string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		m.refuse(folder, err) // what was read of it is looked at all the same
	}
	for i, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.IsDir():
			if !slices.Contains(skippedFolders, entry.Name()) {
				if err := m.walk(ctx, r, path); err != nil {
					return err
				}
			}
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				continue // gone since
			}
			m.found(r, path, info, hasWAL(entries[i+1:], entry.Name()))
		}
	}
	return nil
}

// walSuffix ends the name of the file that SQLite writes to beside a database:
// the database itself changes later, at a checkpoint.
const walSuffix = "-wal"

// hasWAL reports whether the log of a database follows it in its folder.
func hasWAL(following []os.DirEntry, name string) bool {
	for _, entry := range following {
		if !strings.HasPrefix(entry.Name(), name) {
			return false
		}
		if entry.Name() == name+walSuffix {
			return true
		}
	}
	return false
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// stateOf is how a file looks, with what stands beside it in a write-ahead log.
func stateOf(path string, info fs.FileInfo, wal bool) state {
	s := state{info.Size(), info.ModTime().UnixNano()}
	if wal {
		if info, err := os.Stat(path + walSuffix); err == nil && info.Size() > 0 {
			s.size += info.Size()
			s.modTime = max(s.modTime, info.ModTime().UnixNano())
		}
	}
	return s
}

// found takes a file that is new or changed among the jobs.
func (m *importing) found(r root, path string, info fs.FileInfo, wal bool) {
	if m.seen[path] {
		return
	}
	now := stateOf(path, info, wal)
	if then, ok := m.failed[path]; ok && then == now {
		return
	}
	source, known := m.sources[path]
	importer := m.claimant(r, path, info, source, known)
	if importer == nil {
		m.skip(r, path, info)
		return
	}
	m.seen[path] = true
	m.result.Totals.Files++
	for _, place := range r.places {
		if p := &m.result.Places[place]; p.Harness == "" || p.Harness == importer.Harness() {
			p.Files++
		}
	}
	if known && source.Complete && (state{source.Size, source.ModTime}) == now && !m.rereads {
		m.result.Totals.Unchanged++
		return
	}
	m.jobs = append(m.jobs, &job{
		path: path, info: info, state: now, importer: importer, before: source, known: known && source.Complete,
	})
}

// claimant is whose file it is. Of a file that was read before that is known,
// unless it was empty then: its name alone does not tell what comes into it.
func (m *importing) claimant(r root, path string, info fs.FileInfo, source store.Source, known bool) transcript.Importer {
	if known && source.Size > 0 {
		at := slices.IndexFunc(r.importers, func(i transcript.Importer) bool { return i.Harness() == source.Harness })
		if at >= 0 {
			return r.importers[at]
		}
	}
	file := &transcript.File{Path: path, Info: info}
	for _, importer := range r.importers {
		if claims(importer, file) {
			return importer
		}
	}
	return nil
}

// claims keeps a fault in looking at one file from ending the program.
func claims(importer transcript.Importer, file *transcript.File) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return importer.Claims(file)
}

// skip notes a file that nobody claims. In the usual places there are many, and
// nobody asked for them.
func (m *importing) skip(r root, path string, info fs.FileInfo) {
	if !r.asked {
		return
	}
	if err := readable(path); err != nil {
		m.refuse(path, err)
		return
	}
	reason := "no importer knows it"
	if len(r.importers) == 1 {
		reason = "not a log of " + r.importers[0].Title()
	}
	m.result.Totals.Skipped++
	if m.result.Totals.Skipped <= maxSkipped {
		m.tell(FileResult{Path: path, Status: FileSkipped, Bytes: info.Size(), Reason: reason})
	}
}

// refuse notes what can't be read.
func (m *importing) refuse(path string, err error) {
	m.result.Totals.Failed++
	m.tell(FileResult{Path: path, Status: FileFailed, Reason: causeOf(err).Error()})
}

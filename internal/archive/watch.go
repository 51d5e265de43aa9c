package archive

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// watchDelay is how long changes are gathered before they are imported: a
	// session must be there within 3 s of being written.
	watchDelay = time.Second
	// rescanEvery is the net beneath: it finds what no event told of.
	rescanEvery = 30 * time.Second
	// pollEvery stands in for events where the system has none to give.
	pollEvery = 2 * time.Second
	// maxDirty is how many changed files are looked at one by one.
	maxDirty = 1000
	// scanShare bounds what looking takes: at most one part in so many of the time.
	scanShare = 50
)

// Watch imports what is there, then what is written, until ctx is done.
// Several processes may watch at once.
func (a *Archive) Watch(ctx context.Context) error {
	w := newWatch(a)
	defer w.close()
	w.listen() // before the first look: nothing falls between
	w.run(ctx)
	return nil
}

func newWatch(a *Archive) *watch {
	return &watch{Archive: a, dirty: map[string]bool{}, failed: map[string]state{}}
}

// run imports all, then what changes.
func (w *watch) run(ctx context.Context) {
	w.importAll(ctx)
	for w.wait(ctx) {
		if w.rescan {
			w.importAll(ctx)
		} else {
			w.importDirty(ctx)
		}
	}
}

// A watch knows what changed since the last import.
type watch struct {
	*Archive
	notify *fsnotify.Watcher // nil: polling
	places []string          // links resolved as far as they are there
	dirty  map[string]bool   // files that changed
	rescan bool              // anything may have changed
	next   time.Time         // of the net
	failed map[string]state  // files that can't be read, as they were then
}

func (w *watch) close() {
	if w.notify != nil {
		w.notify.Close()
	}
}

// listen asks for events in all places.
func (w *watch) listen() {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.poll(err)
		return
	}
	w.notify = notify
	for _, importer := range w.importers {
		for _, place := range importer.Places(w.env) {
			place = resolveBeginning(place)
			w.places = append(w.places, place)
			w.listenAt(place)
		}
	}
}

// resolveBeginning resolves the links in as much of a path as is there: events
// name files without links.
func resolveBeginning(path string) string {
	if resolved, err := resolve(path); err == nil || filepath.Dir(path) == path {
		return cmp.Or(resolved, path)
	}
	return filepath.Join(resolveBeginning(filepath.Dir(path)), filepath.Base(path))
}

// poll goes on without events.
func (w *watch) poll(err error) {
	w.log.Warn("the system tells of no more changes: folders are looked through every few seconds instead; "+
		"Linux bounds them by fs.inotify.max_user_watches and max_user_instances", keyError, err)
	w.close()
	w.notify = nil
}

// listenAt asks for events at a place; where that is not there yet, for those of
// the nearest folder above that is, which will tell when it comes.
func (w *watch) listenAt(place string) {
	path := place
	info, err := os.Stat(path)
	for err != nil && filepath.Dir(path) != path {
		path = filepath.Dir(path)
		info, err = os.Stat(path)
	}
	switch {
	case err != nil:
	case info.IsDir():
		w.listenIn(path, path == place)
	default:
		w.listenIn(filepath.Dir(path), false)
	}
}

// listenIn asks for events of a folder, and of those in it.
func (w *watch) listenIn(folder string, deep bool) {
	if w.notify == nil {
		return
	}
	if err := w.notify.Add(folder); err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			w.poll(err) // the system's bound on what is watched
		}
		return
	}
	if !deep {
		return
	}
	entries, _ := os.ReadDir(folder) // what can't be read is told by the import
	for _, entry := range entries {
		if entry.IsDir() && !slices.Contains(skippedFolders, entry.Name()) {
			w.listenIn(filepath.Join(folder, entry.Name()), true)
		}
	}
}

// wait returns when there is something to import; false when ctx is done.
func (w *watch) wait(ctx context.Context) bool {
	var events chan fsnotify.Event
	var faults chan error
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
	}
	net := time.NewTimer(time.Until(w.next))
	defer net.Stop()
	var due <-chan time.Time // from the first change on
	for {
		select {
		case <-ctx.Done():
			return false
		case <-due:
			return true
		case <-net.C:
			w.rescan = true
			return true
		case event := <-events:
			w.changed(event)
		case err := <-faults:
			w.log.Debug("events were lost", keyError, err)
			w.rescan = true
		}
		if w.notify == nil { // given up on just now
			w.rescan = true
			return true
		}
		if due == nil && (w.rescan || len(w.dirty) > 0) {
			due = time.After(watchDelay)
		}
	}
}

// changed notes what an event tells of.
func (w *watch) changed(event fsnotify.Event) {
	if !event.Has(fsnotify.Create) && !event.Has(fsnotify.Write) {
		return
	}
	path := strings.TrimSuffix(event.Name, walSuffix)
	if event.Has(fsnotify.Create) {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			w.folderCame(path)
			return
		}
	}
	if !w.inPlaces(path) {
		return
	}
	w.dirty[path] = true
	w.rescan = w.rescan || len(w.dirty) > maxDirty
}

// folderCame listens in a new folder. What was written into it before that told
// nobody, so all is looked through.
func (w *watch) folderCame(path string) {
	if w.inPlaces(path) {
		w.listenIn(path, true)
		w.rescan = true
		return
	}
	for _, place := range w.places {
		if within(place, path) {
			w.listenAt(place)
			w.rescan = true
		}
	}
}

// inPlaces reports whether a path lies in a place of an importer.
func (w *watch) inPlaces(path string) bool {
	return slices.ContainsFunc(w.places, func(place string) bool { return within(path, place) })
}

// within reports whether path is folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}

// importAll looks through all places.
func (w *watch) importAll(ctx context.Context) {
	clear(w.dirty)
	w.rescan = false
	m, every := w.newImporting(ImportRequest{}, nil), rescanEvery
	w.take(ctx, m)
	if w.notify == nil {
		every = pollEvery
	}
	w.next = time.Now().Add(max(every, scanShare*m.looked))
}

// importDirty looks at the files that changed.
func (w *watch) importDirty(ctx context.Context) {
	m := w.newImporting(ImportRequest{}, nil)
	m.only = w.dirty
	w.dirty = map[string]bool{}
	w.take(ctx, m)
}

// take imports and tells what came of it. What fails is tried again with the next
// change or look.
func (w *watch) take(ctx context.Context, m *importing) {
	done, err := w.begin(ctx)
	if err != nil {
		return
	}
	defer done()
	m.failed = w.failed
	result, err := w.importFiles(ctx, m)
	switch { // when it breaks off, files that were being read have no fault
	case ctx.Err() != nil:
		return
	case err != nil:
		w.log.Error("importing failed", keyError, err)
		return
	case result.Totals.Records > 0:
		w.log.Debug("imported", "files", len(m.jobs), "records", result.Totals.Records, "sessions", result.Sessions)
	}
	for _, j := range m.jobs {
		delete(w.failed, j.path)
		if j.result.Status == FileFailed {
			w.failed[j.path] = j.state
			w.log.Warn("a file can't be read", keyPath, j.path, keyError, j.result.Reason)
		}
	}
}

package library

import (
	"context"
	"os"

	"tapedeck/internal/recording"
	"tapedeck/internal/recording/open"
)

// maxKnown is how many files' summaries are kept in memory.
const maxKnown = 4096

// knownFile is a file whose summary is in memory, as long as info is that of
// the file.
type knownFile struct {
	info        os.FileInfo
	fingerprint string
	summary     *recording.Summary
}

// summary returns what is known of the file at path: from memory, which costs
// one stat, from the cache folder, or from the file itself. file is that file if
// it is already open, else nil.
func (l *Library) summary(ctx context.Context, path string, file recording.File) (*knownFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if k := l.remembered(path, info); k != nil {
		return k, nil
	}
	if file == nil {
		if file, err = open.File(path); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	fingerprint, err := fingerprintOf(path)
	if err != nil {
		return nil, err
	}
	k := &knownFile{info: info, fingerprint: fingerprint}
	if k.summary = l.store.load(fingerprint); k.summary == nil {
		if k.summary, err = file.Summary(ctx); err != nil {
			return nil, err
		}
		if !k.settled(path) {
			return k, nil
		}
		if err := l.store.save(fingerprint, k.summary); err != nil {
			l.log.Warn("the summary can't be kept on disk", "path", path, "error", err)
		}
	}
	l.remember(path, k)
	return k, nil
}

// settled reports whether the file stayed as it was while its summary was made:
// that of a file that is being written is not kept.
func (k *knownFile) settled(path string) bool {
	now, err := os.Stat(path)
	return err == nil && sameState(k.info, now) && k.summary.Size == now.Size()
}

func (l *Library) remembered(path string, info os.FileInfo) *knownFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.known[path]; k != nil && sameState(k.info, info) {
		return k
	}
	return nil
}

func (l *Library) remember(path string, k *knownFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxKnown {
		for other := range l.known { // any one will do
			delete(l.known, other)
			break
		}
	}
	l.known[path] = k
}

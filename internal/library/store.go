package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/recording"
)

const (
	// storeVersion begins every kept summary. It changes when the meaning of a
	// summary does, so that old ones are made again.
	storeVersion = "tapedeck summary 1\n"
	storeSuffix  = ".summary"
	// keptFor is how long a summary is kept that no one asks for, and
	// refreshAfter how often asking is noted.
	keptFor      = 90 * 24 * time.Hour
	refreshAfter = 24 * time.Hour
)

// store keeps summaries on disk, a file for each fingerprint. What can't be
// read in it is as if it were not there. A nil store keeps nothing.
type store struct {
	dir   string
	prune sync.Once
}

// storedSummary is a summary whose channels refer to schemas by number, so that
// each schema is stored once.
type storedSummary struct {
	Summary   recording.Summary
	Channels  []storedChannel
	Schemas   []recording.Schema
	Redefined []storedRedefinition
}

type storedChannel struct {
	Channel recording.Channel
	Schema  int // -1: none
}

type storedRedefinition struct {
	Block, At int64
	Channel   int
}

func (s *store) path(fingerprint string) string {
	return filepath.Join(s.dir, fingerprint+storeSuffix)
}

// load returns the summary kept for a fingerprint, or nil.
func (s *store) load(fingerprint string) *recording.Summary {
	if s == nil {
		return nil
	}
	path := s.path(fingerprint)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	sum, err := decodeSummary(b)
	if err != nil {
		return nil
	}
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > refreshAfter {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // only delays that it is forgotten
	}
	return sum
}

// save keeps a summary. Readers see the old file or the whole new one.
func (s *store) save(fingerprint string, sum *recording.Summary) error {
	if s == nil {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	s.prune.Do(s.forget)
	b, err := encodeSummary(sum)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(s.dir, "*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), s.path(fingerprint))
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// forget removes summaries that no one asked for in a long time, and what an
// interrupted save left.
func (s *store) forget() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		old := keptFor
		switch {
		case strings.HasSuffix(e.Name(), ".tmp"):
			old = time.Hour
		case !strings.HasSuffix(e.Name(), storeSuffix):
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > old {
			os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}

// encodeSummary makes the content of a file: the version, a checksum, and the
// summary.
func encodeSummary(sum *recording.Summary) ([]byte, error) {
	st := storedSummary{Summary: *sum}
	st.Summary.Channels, st.Summary.Redefined = nil, nil
	schemas := make(map[*recording.Schema]int)
	channels := make(map[*recording.Channel]int)
	for _, c := range sum.Channels {
		sc := storedChannel{Channel: *c, Schema: -1}
		sc.Channel.Schema = nil
		if c.Schema != nil {
			i, ok := schemas[c.Schema]
			if !ok {
				i = len(st.Schemas)
				schemas[c.Schema] = i
				st.Schemas = append(st.Schemas, *c.Schema)
			}
			sc.Schema = i
		}
		channels[c] = len(st.Channels)
		st.Channels = append(st.Channels, sc)
	}
	for _, r := range sum.Redefined {
		st.Redefined = append(st.Redefined, storedRedefinition{r.Block, r.At, channels[r.Channel]})
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(st); err != nil {
		return nil, err
	}
	check := sha256.Sum256(body.Bytes())
	return bytes.Join([][]byte{[]byte(storeVersion), check[:], body.Bytes()}, nil), nil
}

func decodeSummary(b []byte) (*recording.Summary, error) {
	bad := errors.New("not a summary of this version")
	b, ok := bytes.CutPrefix(b, []byte(storeVersion))
	if !ok || len(b) < sha256.Size {
		return nil, bad
	}
	if sha256.Sum256(b[sha256.Size:]) != [sha256.Size]byte(b[:sha256.Size]) {
		return nil, bad
	}
	var st storedSummary
	if err := gob.NewDecoder(bytes.NewReader(b[sha256.Size:])).Decode(&st); err != nil {
		return nil, err
	}
	sum := &st.Summary
	for i := range st.Channels {
		c := &st.Channels[i]
		if c.Schema >= 0 {
			c.Channel.Schema = &st.Schemas[c.Schema]
		}
		sum.Channels = append(sum.Channels, &c.Channel)
	}
	for _, r := range st.Redefined {
		sum.Redefined = append(sum.Redefined, recording.Redefinition{Block: r.Block, At: r.At, Channel: sum.Channels[r.Channel]})
	}
	return sum, nil
}

package library

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"tapedeck/internal/recording"
)

func TestNewNeedsAFolder(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a library without folders")
	}
}

// TestOpenWithAKeptSummary reads messages by the channels of a summary that
// came from the disk.
func TestOpenWithAKeptSummary(t *testing.T) {
	dir, cache := folder(t), folder(t)
	path := put(t, dir, "sub/a.mcap", run(t, 50))
	for process := range 2 {
		l := library(t, Options{Folders: []string{dir}, CacheDir: cache})
		rec, err := l.Open(t.Context(), path)
		check(t, err)
		want, err := fingerprintOf(path)
		check(t, err)
		if rec.Rel != "sub/a.mcap" || rec.Path != path || rec.Fingerprint != want {
			t.Errorf("%+v", rec)
		}
		sel := recording.Selection{Channels: map[*recording.Channel]bool{rec.Summary.Channels[1]: true}}
		n := 0
		var scratch recording.Scratch
		_, err = rec.File.Blocks(t.Context(), rec.Summary, sel, func(b recording.Block) error {
			_, err := b.Messages(&scratch, func(m *recording.Message) error {
				if m.Channel != rec.Summary.Channels[1] {
					t.Errorf("a message of %q", m.Channel.Topic)
				}
				n++
				return nil
			})
			return err
		})
		check(t, err)
		if n != 25 {
			t.Errorf("process %d: %d messages", process, n)
		}
		check(t, rec.Close())
	}
}

func TestOpenErrors(t *testing.T) {
	dir := folder(t)
	l := library(t, Options{Folders: []string{dir}})
	if _, err := l.Open(t.Context(), dir+"/none.mcap"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := l.Open(t.Context(), put(t, dir, "text.mcap", []byte("hello"))); !errors.Is(err, recording.ErrNotRecording) {
		t.Errorf("a text: %v", err)
	}
}

func TestFingerprintFollowsTheContent(t *testing.T) {
	dir := folder(t)
	big := make([]byte, 3*edge)
	path := put(t, dir, "f", big)
	when := time.Now()
	print := func() string {
		check(t, os.Chtimes(path, when, when))
		f, err := fingerprintOf(path)
		check(t, err)
		return f
	}
	seen := map[string]string{print(): "first"}
	if _, same := seen[print()]; !same {
		t.Error("the same file has two fingerprints")
	}
	note := func(what string) {
		f := print()
		if other, known := seen[f]; known {
			t.Errorf("%s: the fingerprint is that of %s", what, other)
		}
		seen[f] = what
	}
	big[5] = 1
	put(t, dir, "f", big)
	note("beginning changed")
	big[len(big)-5] = 1
	put(t, dir, "f", big)
	note("end changed")
	put(t, dir, "f", append(big, 0))
	note("longer")
	when = when.Add(time.Nanosecond * 1000)
	note("touched")
	put(t, dir, "f", nil)
	note("empty")
}

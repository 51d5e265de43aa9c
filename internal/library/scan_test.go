package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// found scans and lists the names of entries and the reasons of problems by
// their file's name.
func found(t *testing.T, l *Library, folder string) (names []string, problems map[string]string) {
	t.Helper()
	entries, list, err := l.Scan(t.Context(), folder, nil)
	check(t, err)
	for _, e := range entries {
		if e.Summary == nil || e.Size == 0 || !filepath.IsAbs(e.Path) {
			t.Errorf("entry %+v", e)
		}
		names = append(names, e.Rel)
	}
	problems = make(map[string]string)
	for _, p := range list {
		problems[filepath.Base(p.Path)] = p.Reason
	}
	return names, problems
}

func TestScanFindsRecordings(t *testing.T) {
	dir := folder(t)
	for _, name := range []string{"b.mcap", "a.MCAP", "deep/er/c.mcap", ".hidden/d.mcap", "notes.txt", "mcap"} {
		put(t, dir, name, run(t, 5))
	}
	for _, c := range []struct {
		name      string
		recursive bool
		folder    string
		want      []string
	}{
		{"all", true, "", []string{"a.MCAP", "b.mcap", "deep/er/c.mcap"}},
		{"only the folder itself", false, "", []string{"a.MCAP", "b.mcap"}},
		{"a folder of it", true, "deep", []string{"deep/er/c.mcap"}},
		{"by its absolute path", true, filepath.Join(dir, "deep"), []string{"deep/er/c.mcap"}},
		{"a hidden folder, named", true, ".hidden", []string{".hidden/d.mcap"}},
		{"one file", true, "b.mcap", []string{"b.mcap"}},
	} {
		l := library(t, Options{Folders: []string{dir}, Recursive: c.recursive})
		names, problems := found(t, l, c.folder)
		if diff := cmp.Diff(c.want, names); diff != "" || len(problems) > 0 {
			t.Errorf("%s (-want +got):\n%sproblems %v", c.name, diff, problems)
		}
	}
	l := library(t, Options{Folders: []string{dir}})
	if _, _, err := l.Scan(t.Context(), "nowhere", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

func TestScanTellsProblemsAndGoesOn(t *testing.T) {
	dir, outside := folder(t), folder(t)
	put(t, dir, "good.mcap", run(t, 5))
	put(t, dir, "empty.mcap", nil)
	put(t, dir, "lfs.mcap", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"))
	put(t, dir, "cut.mcap", run(t, 100)[:20])
	check(t, os.Mkdir(filepath.Join(dir, "folder.mcap"), 0o700))
	check(t, os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "dangling.mcap")))
	check(t, os.Symlink(put(t, outside, "secret.mcap", run(t, 5)), filepath.Join(dir, "escape.mcap")))
	check(t, os.Symlink(outside, filepath.Join(dir, "tunnel")))
	check(t, syscall.Mkfifo(filepath.Join(dir, "pipe.mcap"), 0o600))

	l := library(t, Options{Folders: []string{dir, filepath.Join(dir, "missing")}, Recursive: true, Confined: true})
	names, problems := found(t, l, "")
	if diff := cmp.Diff([]string{"good.mcap"}, names); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	for name, says := range map[string]string{
		"empty.mcap": "the file is empty", "lfs.mcap": "git lfs pull", "cut.mcap": "recording is damaged",
		"dangling.mcap": "leads out", "escape.mcap": "leads out", "tunnel": "leads out",
		"pipe.mcap": "it is a pipe", "missing": "does not exist",
	} {
		if !strings.Contains(problems[name], says) {
			t.Errorf("%s: %q, want %q", name, problems[name], says)
		}
		if strings.Contains(problems[name], dir) {
			t.Errorf("%s: the path stands beside the reason: %q", name, problems[name])
		}
	}
	if len(problems) != 8 {
		t.Errorf("problems %v", problems)
	}
}

// A link that leads out must not tell whether anything is there, and what.
func TestConfinedScanDoesNotTellWhatLinksLeadTo(t *testing.T) {
	dir, outside := folder(t), folder(t)
	put(t, outside, "there.mcap", run(t, 5))
	check(t, os.Mkdir(filepath.Join(outside, "folder"), 0o700))
	for _, target := range []string{"there.mcap", "folder", "absent"} {
		check(t, os.Symlink(filepath.Join(outside, target), filepath.Join(dir, "to_"+target)))
		check(t, os.Symlink(filepath.Join(outside, target), filepath.Join(dir, "named_"+target+".mcap")))
	}
	for _, recursive := range []bool{true, false} {
		_, problems := found(t, library(t, Options{Folders: []string{dir}, Recursive: recursive, Confined: true}), "")
		for _, of := range []string{"to_%s", "named_%s.mcap"} {
			want := problems[fmt.Sprintf(of, "folder")]
			if got := problems[fmt.Sprintf(of, "absent")]; got != want {
				t.Errorf("recursive %v: %q for what is not there, %q for a folder", recursive, got, want)
			}
			if got := problems["named_there.mcap.mcap"]; got != problems["named_absent.mcap"] {
				t.Errorf("recursive %v: %q for a recording, %q for what is not there", recursive, got, problems["named_absent.mcap"])
			}
		}
	}
}

func TestUnconfinedScanTellsWhichLinksLeadNowhere(t *testing.T) {
	dir := folder(t)
	check(t, os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "dangling.mcap")))
	check(t, os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "dangling")))
	_, problems := found(t, library(t, Options{Folders: []string{dir}, Recursive: true}), "")
	if len(problems) != 1 || !strings.Contains(problems["dangling.mcap"], "does not exist") {
		t.Errorf("problems %v", problems)
	}
}

func TestScanFollowsLinksOnce(t *testing.T) {
	dir, outside := folder(t), folder(t)
	real := put(t, dir, "sub/real.mcap", run(t, 5))
	put(t, outside, "far.mcap", run(t, 5))
	check(t, os.Symlink(real, filepath.Join(dir, "alias.mcap")))
	check(t, os.Symlink(dir, filepath.Join(dir, "sub", "circle")))
	check(t, os.Symlink(outside, filepath.Join(dir, "mounted")))
	l := library(t, Options{Folders: []string{dir}, Recursive: true})
	names, problems := found(t, l, "")
	if diff := cmp.Diff([]string{"mounted/far.mcap", "sub/real.mcap"}, names); diff != "" || len(problems) > 0 {
		t.Errorf("(-want +got):\n%sproblems %v", diff, problems)
	}
}

func TestScanProgressAndCancel(t *testing.T) {
	dir := folder(t)
	for i := range 20 {
		put(t, dir, fmt.Sprintf("%02d.mcap", i), run(t, 5))
	}
	l := library(t, Options{Folders: []string{dir}})
	var steps []int
	_, _, err := l.Scan(t.Context(), "", func(done, total int) {
		if total != 20 {
			t.Errorf("total %d", total)
		}
		steps = append(steps, done)
	})
	check(t, err)
	for i, done := range steps {
		if done != i+1 {
			t.Fatalf("progress went %v", steps)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = l.Scan(ctx, "", func(done, _ int) {
		if done == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestScanSeesGrowth(t *testing.T) {
	dir := folder(t)
	whole := run(t, 200)
	path := put(t, dir, "live.mcap", whole[:len(whole)/2])
	l := library(t, Options{Folders: []string{dir}, CacheDir: folder(t)})
	count := func() (messages uint64, warnings int) {
		entries, _, err := l.Scan(t.Context(), "", nil)
		check(t, err)
		if len(entries) != 1 {
			t.Fatalf("%d entries", len(entries))
		}
		return entries[0].Summary.MessageCount, len(entries[0].Summary.Warnings)
	}
	if n, warnings := count(); n == 0 || n == 200 || warnings == 0 {
		t.Errorf("half of the file: %d messages, %d warnings", n, warnings)
	}
	check(t, os.WriteFile(path, whole, 0o600))
	check(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
	if n, warnings := count(); n != 200 || warnings != 0 {
		t.Errorf("the whole file: %d messages, %d warnings", n, warnings)
	}
}

// BenchmarkScanAgain scans 1000 recordings that the library knows already, and
// that another process left in the cache folder.
func BenchmarkScanAgain(b *testing.B) {
	dir, cache := folder(b), folder(b)
	content := run(b, 1000)
	for i := range 1000 {
		put(b, dir, fmt.Sprintf("%d/%d.mcap", i%10, i), content)
	}
	opt := Options{Folders: []string{dir}, Recursive: true, CacheDir: cache}
	scan := func(l *Library) {
		entries, _, err := l.Scan(context.Background(), "", nil)
		check(b, err)
		if len(entries) != 1000 {
			b.Fatalf("%d entries", len(entries))
		}
	}
	l := library(b, opt)
	scan(l)
	b.Run("from=memory", func(b *testing.B) {
		for b.Loop() {
			scan(l)
		}
	})
	b.Run("from=disk", func(b *testing.B) {
		for b.Loop() {
			scan(library(b, opt))
		}
	})
}

package library

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

func TestResolve(t *testing.T) {
	dir, here := folder(t), folder(t)
	t.Chdir(here)
	content := run(t, 1)
	for _, name := range []string{"run_17.mcap", "a/run_18.mcap", "a/b/Night.mcap", "x/twin.mcap", "y/twin.mcap", "x/run_17.mcap", "bag/bag_0.mcap", "run[1].mcap", "what?.mcap"} {
		put(t, dir, name, content)
	}
	put(t, here, "local.mcap", content)
	put(t, here, "other.bin", content)
	check(t, syscall.Mkfifo(filepath.Join(dir, "pipe.mcap"), 0o600))
	l := library(t, Options{Folders: []string{dir}, Recursive: true})
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

	for name, want := range map[string]string{
		in("a/run_18.mcap"):          in("a/run_18.mcap"),
		"run_17.mcap":                in("run_17.mcap"), // goes before x/run_17.mcap
		"run_17":                     in("run_17.mcap"),
		"x/run_17":                   in("x/run_17.mcap"),
		"run_18.mcap":                in("a/run_18.mcap"),
		"run_18":                     in("a/run_18.mcap"),
		"b/Night":                    in("a/b/Night.mcap"),
		"night":                      in("a/b/Night.mcap"),
		"./a/../a/run_18":            in("a/run_18.mcap"),
		"x/twin":                     in("x/twin.mcap"),
		"run[1].mcap":                in("run[1].mcap"),
		"what?":                      in("what?.mcap"),
		"local":                      filepath.Join(here, "local.mcap"),
		"other.bin":                  filepath.Join(here, "other.bin"),
		filepath.Join(here, "local"): filepath.Join(here, "local.mcap"),
	} {
		if got, err := l.Resolve(t.Context(), name); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
	for name, says := range map[string]string{
		"":                        "empty",
		" ":                       "empty",
		"run_*":                   "wildcards",
		"run\x00":                 "NUL",
		strings.Repeat("n", 4097): "4097 bytes",
	} {
		_, err := l.Resolve(t.Context(), name)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), says) || len(err.Error()) > 500 {
			t.Errorf("%.20q: %v; want ErrNotFound with %q", name, err, says)
		}
	}
	for name, says := range map[string]string{
		"bag":       "bag_0.mcap",
		"pipe.mcap": "it is a pipe",
		dir:         "it is a folder",
	} {
		if _, err := l.Resolve(t.Context(), name); !errors.Is(err, recording.ErrNotRecording) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want ErrNotRecording with %q", name, err, says)
		}
	}
}

func TestResolveAmbiguous(t *testing.T) {
	one, two := folder(t), folder(t)
	for _, dir := range []string{one, two} {
		put(t, dir, "same.mcap", run(t, 1))
	}
	put(t, one, "x/twin.mcap", run(t, 1))
	put(t, one, "y/twin.mcap", run(t, 1))
	l := library(t, Options{Folders: []string{one, two}, Recursive: true})
	for name, want := range map[string][]string{
		"twin": {"x/twin.mcap", "y/twin.mcap"},
		"same": {filepath.Join(one, "same.mcap"), filepath.Join(two, "same.mcap")},
	} {
		_, err := l.Resolve(t.Context(), name)
		var ambiguous *AmbiguousError
		if !errors.As(err, &ambiguous) || !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, ambiguous.Candidates); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		for _, c := range ambiguous.Candidates {
			if _, err := l.Resolve(t.Context(), c); err != nil {
				t.Errorf("the candidate %q: %v", c, err)
			}
		}
	}
}

func TestResolveNotFoundNamesTheNearest(t *testing.T) {
	dir := folder(t)
	put(t, dir, "2024/warehouse_run_17.mcap", run(t, 1))
	put(t, dir, "calibration.mcap", run(t, 1))
	l := library(t, Options{Folders: []string{dir}, Recursive: true})
	_, err := l.Resolve(t.Context(), "warehouse_run_71.mcap")
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2024/warehouse_run_17.mcap"}, missing.Nearest); diff != "" {
		t.Errorf("nearest (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{dir}, missing.Folders); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// TestConfinedRefusesEscapes tries all ways out of the data folder. What lies
// outside must be refused in the same words whether it exists or not.
func TestConfinedRefusesEscapes(t *testing.T) {
	root := folder(t)
	dir := filepath.Join(root, "data")
	inside := put(t, dir, "sub/in.mcap", run(t, 1))
	secret := put(t, root, "secret.mcap", run(t, 1))
	sibling := put(t, root, "data2/near.mcap", run(t, 1)) // its path begins like the folder's
	link := func(to, name string) { check(t, os.Symlink(to, filepath.Join(dir, name))) }
	link(secret, "out.mcap")
	link(filepath.Join(root, "absent"), "absent.mcap")
	link(root, "up")
	link(inside, "alias.mcap")
	t.Chdir(root)
	l := library(t, Options{Folders: []string{dir}, Recursive: true, Confined: true})

	var said string
	for _, name := range []string{
		secret, filepath.Join(root, "absent"), sibling, "../secret.mcap", "../absent", "sub/../../secret", "/etc/passwd", "/dev/zero", "/proc/self/environ",
		"out.mcap", "out", "absent.mcap", "up/secret.mcap", "up/absent.mcap", filepath.Join(dir, "..", "secret.mcap"), filepath.Join(dir, "up", "secret.mcap"),
	} {
		path, err := l.Resolve(t.Context(), name)
		if !errors.Is(err, ErrForbidden) {
			t.Errorf("%q: %q, %v; want ErrForbidden", name, path, err)
			continue
		}
		if said == "" {
			said = err.Error()
		}
		if err.Error() != said || !strings.Contains(said, dir) {
			t.Errorf("%q: %q differs from %q", name, err, said)
		}
		if filepath.IsAbs(name) {
			if _, err := l.Open(t.Context(), name); !errors.Is(err, ErrForbidden) {
				t.Errorf("opening %q: %v", name, err)
			}
		}
	}
	if _, err := l.Resolve(t.Context(), "secret.mcap"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file of the working folder: %v", err)
	}
	if _, _, err := l.Scan(t.Context(), root, nil); !errors.Is(err, ErrForbidden) {
		t.Errorf("scanning outside: %v", err)
	}
	for name, want := range map[string]string{"in": inside, inside: inside, "alias": filepath.Join(dir, "alias.mcap"), "sub/../sub/in": inside} {
		if got, err := l.Resolve(t.Context(), name); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestConfinedToALinkedFolder(t *testing.T) {
	root := folder(t)
	real := put(t, root, "disk/in.mcap", run(t, 1))
	shelf := filepath.Join(root, "shelf")
	check(t, os.Symlink(filepath.Dir(real), shelf))
	l := library(t, Options{Folders: []string{shelf}, Confined: true})
	for name, want := range map[string]string{"in": filepath.Join(shelf, "in.mcap"), real: real} {
		if got, err := l.Resolve(t.Context(), name); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
}

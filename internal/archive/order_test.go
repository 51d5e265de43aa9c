package archive

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/store/storetest"
	"tapedeck/internal/transcript/claudecode"
	"tapedeck/internal/transcript/registry"
)

// dumpOf is all that a's store holds, however it came there.
func dumpOf(t testing.TB, a *Archive) string {
	t.Helper()
	text, err := storetest.Dump(t.Context(), a.store)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sound checks the store.
func sound(t testing.TB, a *Archive) {
	t.Helper()
	result, err := a.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !result.Sound {
		t.Errorf("the store is not sound: %+v", result.Problems)
	}
}

// sameDump shows the first lines in which two dumps differ.
func sameDump(t testing.TB, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("the stores differ from line %d of %d on (-want +got):\n%s", i, len(a), cmp.Diff(a[i:min(i+2, len(a))], b[i:min(i+2, len(b))]))
			return
		}
	}
	t.Errorf("the stores differ: %d lines, want %d", len(b), len(a))
}

// TestTheWayOfImportMakesNoDifference: the same files give the same store,
// whatever order they come in, however often, in parts, from several at once.
func TestTheWayOfImportMakesNoDifference(t *testing.T) {
	logs := t.TempDir()
	files := claudeLogs{sessions: 12, turns: 4, filler: 300}.write(t, logs)
	open := func(t *testing.T) *Archive { return openArchive(t, t.TempDir(), claudecode.New()) }
	whole := open(t)
	if got := imported(t, whole, logs); got.Totals.Files != len(files) || got.Lossy() || got.Sessions < 12 {
		t.Fatalf("the plain import: %+v, %d sessions, broken %v", got.Totals, got.Sessions, got.Broken)
	}
	sound(t, whole)
	want := dumpOf(t, whole)
	if !strings.Contains(want, `"relation":"fork"`) || !strings.Contains(want, `"relation":"subagent"`) {
		t.Fatal("the logs hold no fork, or no sub-agent")
	}

	t.Run("file by file, in any order, twice", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 1))
		for range 3 {
			a := open(t)
			for _, i := range append(random.Perm(len(files)), random.Perm(len(files))...) {
				imported(t, a, files[i])
			}
			sameDump(t, want, dumpOf(t, a))
		}
	})
	t.Run("with copies", func(t *testing.T) {
		a, copies := open(t), t.TempDir()
		for _, path := range files[:4] {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, copies, filepath.Base(path), string(text))
		}
		imported(t, a, copies)
		imported(t, a, logs)
		sameDump(t, want, dumpOf(t, a))
	})
	t.Run("in slices", func(t *testing.T) {
		a := open(t)
		for n, path := range files {
			importSlices(t, a, logs, path, uint64(n))
		}
		sameDump(t, withoutPlaces(want), withoutPlaces(dumpOf(t, a)))
	})
	t.Run("line by line", func(t *testing.T) {
		a, growing := open(t), t.TempDir()
		growTogether(t, a, logs, growing, files)
		sameDump(t, want, dumpOf(t, a))
		sound(t, a)
	})
	t.Run("from two at once", func(t *testing.T) {
		data := t.TempDir()
		first, second := openArchive(t, data, claudecode.New()), openArchive(t, data, claudecode.New())
		var both sync.WaitGroup
		for _, a := range []*Archive{first, second} {
			both.Go(func() {
				for _, path := range files {
					if _, err := a.Import(t.Context(), ImportRequest{Paths: []string{path}}, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		both.Wait()
		sameDump(t, want, dumpOf(t, second))
		sound(t, first)
	})
	t.Run("derived again", func(t *testing.T) {
		if _, err := whole.Rederive(t.Context(), "", nil); err != nil {
			t.Fatal(err)
		}
		sameDump(t, want, dumpOf(t, whole))
	})
}

// TestTheCorpusInAnyOrder is the same with what agents really wrote.
func TestTheCorpusInAnyOrder(t *testing.T) {
	corpus := corpustest.Path(t, "agents")
	whole := openArchive(t, t.TempDir(), registry.All()...)
	result := imported(t, whole, corpus)
	if len(result.Broken) > 0 || result.Totals.Failed > 0 {
		t.Errorf("can't be read: %+v; can't be derived: %+v", result.Totals, result.Broken)
	}
	sound(t, whole)
	want := dumpOf(t, whole)
	t.Logf("corpus: %d files, %d sessions", result.Totals.Files, result.Sessions)

	var files []string
	for _, f := range result.Files {
		if f.Status != FileSkipped {
			files = append(files, f.Path)
		}
	}
	random := rand.New(rand.NewPCG(2, 2))
	for range 2 {
		a := openArchive(t, t.TempDir(), registry.All()...)
		for _, i := range random.Perm(len(files)) {
			imported(t, a, files[i])
		}
		sameDump(t, want, dumpOf(t, a))
		sound(t, a)
	}
}

// importSlices imports a file cut into up to four, the last first, as tools do
// that keep only what a session added.
func importSlices(t *testing.T, a *Archive, logs, path string, seed uint64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	random := rand.New(rand.NewPCG(seed, 3))
	cuts := []int{0, random.IntN(len(lines)), random.IntN(len(lines)), random.IntN(len(lines)), len(lines)}
	slices.Sort(cuts)
	relative, err := filepath.Rel(logs, path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(cuts) - 2; i >= 0; i-- {
		slice := write(t, t.TempDir(), relative, string(bytes.Join(lines[cuts[i]:cuts[i+1]], nil)))
		imported(t, a, slice)
	}
}

// place is where in its file a record stands, which a slice can't know.
var place = regexp.MustCompile(`"Pos":\d+`)

func withoutPlaces(dump string) string { return place.ReplaceAllString(dump, "") }

// growTogether writes all files line by line in turn, and imports after each.
func growTogether(t *testing.T, a *Archive, logs, growing string, files []string) {
	t.Helper()
	left := map[string][][]byte{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(logs, path)
		if err != nil {
			t.Fatal(err)
		}
		left[write(t, growing, relative, "")] = bytes.SplitAfter(text, []byte("\n"))
	}
	for len(left) > 0 {
		for path, lines := range left {
			half := len(lines[0]) / 2
			appendTo(t, path, string(lines[0][:half]))
			imported(t, a, path)
			appendTo(t, path, string(lines[0][half:]))
			imported(t, a, path)
			if left[path] = lines[1:]; len(lines) == 1 {
				delete(left, path)
			}
		}
	}
}

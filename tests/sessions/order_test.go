package sessions

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/store/open"
	"tapedeck/internal/store/postgres/postgrestest"
)

// sameDump shows the first lines in which two dumps differ.
func sameDump(t testing.TB, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("the stores differ from line %d of %d on (-want +got):\n%.3000s", i, len(a), cmp.Diff(a[i:min(i+2, len(a))], b[i:min(i+2, len(b))]))
			return
		}
	}
	t.Errorf("the stores differ: %d lines, want %d", len(b), len(a))
}

// Deriving all again gives the same bytes, and so does importing the same files
// one by one in any order, twice: in both stores.
func TestTheWayInMakesNoDifference(t *testing.T) {
	for name, folder := range logs {
		t.Run(name, func(t *testing.T) {
			began, dir := time.Now(), folder(t)
			sides := bothSides(t)
			var files []string
			if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					files = append(files, path)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for _, s := range sides {
				s.take(t, archive.ImportRequest{Paths: []string{dir}})
			}
			want := sides[0].dump(t)
			sameDump(t, want, sides[1].dump(t))
			for _, s := range sides {
				if _, err := s.archive.Rederive(t.Context(), "", nil); err != nil {
					t.Fatal(err)
				}
				sameDump(t, want, s.dump(t))
			}
			for seed, other := range []*side{
				newSide(t, "SQLite", open.Options{Dir: t.TempDir()}),
				newSide(t, "PostgreSQL", open.Options{Postgres: postgrestest.NewDatabase(t)}),
			} {
				random := rand.New(rand.NewPCG(uint64(seed), 5))
				for _, i := range append(random.Perm(len(files)), some(random.Perm(len(files)), 50)...) {
					other.take(t, archive.ImportRequest{Paths: []string{files[i]}})
				}
				sameDump(t, want, other.dump(t))
				other.sound(t)
			}
			fmt.Printf("sessions: %s: derived again, and %d files one by one in two orders, gave equal stores of %d lines, in SQLite and in PostgreSQL; %.0f s\n",
				name, len(files), strings.Count(want, "\n"), time.Since(began).Seconds())
		})
	}
}

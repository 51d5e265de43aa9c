// Package corpustest finds the corpus for tests: recordings and statements that
// nobody here made, with the right answers from other implementations.
//
// The corpus lies beside the repository, in ../shared/corpus, and is no part of
// it. Tests that need it are skipped where it is absent; `make test` then lists
// them, and where it is there fails for a test that was skipped all the same.
package corpustest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder of the corpus, and skips the test
// where that is not there.
func Path(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), "..", "shared", "corpus", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip("the corpus is not beside the repository: ", err)
	}
	return path
}

// Recording returns the path of a recording, or of a folder of them.
func Recording(t testing.TB, name string) string {
	t.Helper()
	return Path(t, "mcap/"+name)
}

// root is the folder of the repository: the one of go.mod, above the package
// whose tests run.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working folder")
		}
		dir = parent
	}
}

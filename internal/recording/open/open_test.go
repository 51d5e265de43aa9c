package open

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/recording"
)

// emptyMCAP is a recording without messages whose recorder was stopped.
const emptyMCAP = "\x89MCAP0\r\n\x01\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func TestFileOpensMCAP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any name")
	if err := os.WriteFile(path, []byte(emptyMCAP), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum, err := f.Summary(t.Context())
	if err != nil || sum.MessageCount != 0 || len(sum.Warnings) != 1 || sum.Warnings[0].Code != recording.WarnTruncated {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestCorpusOfOtherFiles opens the corpus's files that are no recordings.
func TestCorpusOfOtherFiles(t *testing.T) {
	dir := corpustest.Recording(t, "crafted/container")
	for name, says := range map[string]string{
		"empty_0_bytes.mcap":   "the file is empty",
		"file_level.mcap.zstd": "zstd -d",
		"lfs_pointer.mcap":     "git lfs pull",
		"magic_only.mcap":      "only the 8 bytes",
		"magic_version_1.mcap": `version "1"`,
	} {
		_, err := File(filepath.Join(dir, name))
		if !errors.Is(err, recording.ErrNotRecording) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want ErrNotRecording with %q", name, err, says)
		}
	}
}

package opencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// readTree reads all files of a tree that are claimed.
func readTree(t *testing.T, root string) *tape {
	t.Helper()
	s := newTape()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch claimed := New().Claims(&transcript.File{Path: path}); {
		case claimed:
			readFrom(t, path, transcript.Cursor{}, s)
		case filepath.Ext(path) == ".json":
			t.Errorf("%s is not claimed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Reasons)+len(s.Kinds)+len(s.Cuts) > 0 {
		t.Errorf("lost %q, unknown %q, cut %v", s.Reasons, s.Kinds, s.Cuts)
	}
	return s
}

func TestCorpus(t *testing.T) {
	tests := map[string]map[string][]string{
		"storage_legacy": {"s_stage0_drift": {
			"typed: Open README",
			`answer: call_legacy_1=bash {"command":"cat README.md","cwd":"/tmp/drift"} | Read README and extracted the title.`,
			"result call_legacy_1 ok: # Title\n\nBody",
		}},
		"storage_v2": {
			"s_stage0_small": {
				"typed: Hello",
				`answer: call_1=bash {"command":"ls","cwd":"/tmp/repo"} | Found 2 files.`,
				"result call_1 ok: a.txt\nb.txt",
			},
			"s_stage0_large": {
				"typed: Step 1",
				"note compaction:",
				"note patch: /tmp/large/error.log",
				`answer: [text/plainfile:///tmp/large/error.log 0] | call_large_1=bash {"command":"ls /non-existent-directory","cwd":"/tmp/large"} | (Investigating failing command.) | Command failed with exit code 1.`,
				"result call_large_1 error: ls: /non-existent-directory: No such file or directory\n exit code 1",
				"note interrupted: MessageAbortedError: The operation was aborted.",
				"typed: Step 2",
				"answer: Ok",
			},
		},
	}
	for tree, sessions := range tests {
		t.Run(tree, func(t *testing.T) {
			s := readTree(t, corpustest.Path(t, "agents/opencode/agent-sessions/"+tree))
			got := map[string][]string{}
			for ref := range s.Records {
				got[ref.Key] = script(interpret(t, s.Ordered(ref)))
			}
			if diff := cmp.Diff(sessions, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCorpusUsage(t *testing.T) {
	s := readTree(t, corpustest.Path(t, "agents/opencode/agent-sessions/storage_v2"))
	answers := transcripttest.Of[*session.Answer](interpret(t, s.Ordered(session.Ref{Harness: "opencode", Key: "s_stage0_large"})))
	want := &session.Usage{InputTokens: 120, OutputTokens: 16, Cost: session.Dollars(0.0011)}
	if diff := cmp.Diff(want, answers[0].Usage); diff != "" {
		t.Error(diff)
	}
}

func TestCorpusOfOthers(t *testing.T) {
	root := corpustest.Path(t, "agents")
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path, filepath.Join(root, "opencode")) {
			return err
		}
		if New().Claims(&transcript.File{Path: path}) {
			t.Errorf("%s is claimed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Package pi reads the session files of the Pi coding agent, and of its kin that
// write the same form.
//
// # What it does
//
// A file is one stream, whose key is the identifier in its header. Entries form
// a tree since version 2, by parentId: a person may go back to an earlier entry
// and go on from there, in the same file. All branches happened and cost tokens,
// so all are told, in the order in which they were written; a note named
// "branch" stands where one begins. Which branch is the live one is not told.
//
// # What it does not
//
// What extensions keep for themselves ("custom" entries) is not interpreted.
//
// # What it promises
//
// Keys are made from what entries say, without their place in the tree: the
// same file, parts of it, and what Pi makes of it when it migrates it to a newer
// version give the same keys.
package pi

import (
	"path/filepath"
	"strings"

	"tapedeck/internal/transcript"
)

const harness = "pi"

// New returns the importer.
func New() transcript.Importer { return importer{} }

type importer struct{}

func (importer) Harness() string { return harness }

func (importer) Title() string { return "Pi" }

// Places is the folder of sessions, which the environment can move.
func (importer) Places(env transcript.Environment) []string {
	moved := func(name string) string {
		if env.Getenv == nil {
			return ""
		}
		path := env.Getenv(name)
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			return filepath.Join(env.Home, rest)
		}
		return path
	}
	if sessions := moved("PI_CODING_AGENT_SESSION_DIR"); sessions != "" {
		return []string{sessions}
	}
	agent := moved("PI_CODING_AGENT_DIR")
	if agent == "" {
		agent = filepath.Join(env.Home, ".pi", "agent")
	}
	return []string{filepath.Join(agent, "sessions")}
}

// Replay is by origin: a fork holds entries of its parent's as they were.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

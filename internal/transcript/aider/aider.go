// Package aider imports aider's chat history, a Markdown file that many sessions
// share (.aider.chat.history.md).
//
// # What it reads
//
// A session begins at a line "# aider chat started at …"; what stands before the
// first such line is a session of its own when it holds a prompt. A session is
// cut into blocks, which are the records: what a person wrote ("#### "), what
// aider told on the console ("> "), and what the model answered (all else).
//
// The format has no escapes: an answer may hold lines that look like the other
// two. Aider ends its own with two spaces; where a session's first such line has
// them, only lines that have them count. Where an editor took them away, a "#### "
// line behind an answer's text is taken for a heading, and code fences are not
// looked into.
//
// # What it promises
//
// A session is known by its time and by what stands up to its first prompt, so
// that copies of a file, and files that were joined, give the same sessions. A
// session without a prompt is not taken until it has one. A block's key is its
// number in the session; the last block may grow.
//
// # What it does not
//
// The file has one time for a session, without a zone, and none within it: it is
// taken as UTC, for all of the session. Tokens are rounded by aider ("5.2k"), so
// sums are marked partial. The working folder is not in the file.
package aider

import (
	"bytes"
	"path/filepath"
	"strings"

	"tapedeck/internal/transcript"
)

const (
	harness  = "aider"
	fileName = ".aider.chat.history.md"
)

type importer struct{}

// New returns the importer of aider's chat history.
func New() transcript.Importer { return importer{} }

func (importer) Harness() string { return harness }
func (importer) Title() string   { return "Aider" }

// Places are the file in the working folder, that in the home folder, and the
// one that AIDER_CHAT_HISTORY_FILE names. Aider keeps one in each repository:
// others are imported by path.
func (importer) Places(env transcript.Environment) []string {
	places := []string{fileName, filepath.Join(env.Home, fileName)}
	if env.Getenv != nil {
		if file := env.Getenv("AIDER_CHAT_HISTORY_FILE"); file != "" {
			places = append(places, file)
		}
	}
	return places
}

// Claims reports whether a file has aider's name for it, or is Markdown in which
// a session begins.
func (importer) Claims(f *transcript.File) bool {
	if strings.HasSuffix(filepath.Base(f.Path), "aider.chat.history.md") {
		return true
	}
	return filepath.Ext(f.Path) == ".md" && startsSession(f.Head())
}

func startsSession(head []byte) bool {
	for line := range bytes.Lines(head) {
		if _, ok := headerTime(line); ok {
			return true
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return false
		}
	}
	return false
}

// Replay is of no matter: aider copies no session into another.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

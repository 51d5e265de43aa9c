// Package gemini imports the sessions of Gemini CLI: chats/session-*.json, and
// since 0.40 chats/session-*.jsonl, below a folder for each project.
//
// # What it reads
//
// Two forms of one session. A snapshot is a JSON document that is written anew
// whenever something changes: it becomes one record for all but its messages,
// in whose place stand their keys, and one record for each message. A log is a
// file of edits, a line each: a message (again: in place of the earlier one),
// {"$set": …} and {"$rewindTo": id}; its lines are the records.
//
// # What it promises
//
// Of snapshots the one that was updated last says which messages the session
// has, in which order; messages that only earlier ones had were rewound and are
// in the raw log alone, as they are after a $rewindTo. Where a session has a log
// its snapshots are history: the log began with what they held. Messages that
// were taken out because the history was compressed are kept.
//
// # What it does not
//
// It claims no recorded provider traffic (.responses), nor saved checkpoints.
// The working folder is known only where the harness wrote it beside the chats
// (.project_root) or into the session (directories).
package gemini

import (
	"path/filepath"

	"tapedeck/internal/transcript"
)

const harness = "gemini"

type importer struct{}

// New returns the importer of Gemini CLI's sessions.
func New() transcript.Importer { return importer{} }

func (importer) Harness() string { return harness }
func (importer) Title() string   { return "Gemini CLI" }

// Places is the folder that holds a folder for each project. GEMINI_CLI_HOME
// stands for the home folder where it is set.
func (importer) Places(env transcript.Environment) []string {
	home := env.Home
	if env.Getenv != nil {
		if other := env.Getenv("GEMINI_CLI_HOME"); other != "" {
			home = other
		}
	}
	return []string{filepath.Join(home, ".gemini", "tmp")}
}

// Replay is of no matter: resuming goes on in the same session.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

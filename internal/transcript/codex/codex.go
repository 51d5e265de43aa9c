// Package codex reads the session logs of OpenAI's Codex CLI and of what
// descends from it: rollout files, the bare lines of mid-2025, and what
// "codex exec --json" prints.
//
// # What it does
//
// A rollout file is one stream; its key is the identifier of its first
// session_meta. A thread that was forked or spawned may begin with a copy of its
// parent's rollout, whose timestamps were written anew: records share an Origin
// with what they were copied from, made from the conversation's root and from
// what they say.
//
// # What it does not
//
// Titles that newer versions keep in SQLite, and history.jsonl, are not read.
//
// # What it promises
//
// Tokens come from the cumulative counters, so that repeated, inherited and
// restarted counts add up to what was used. The same file, a longer copy and a
// truncated one give the same keys; a slice that lacks the file's beginning does
// not.
package codex

import (
	"path/filepath"

	"tapedeck/internal/transcript"
)

const harness = "codex"

// New returns the importer.
func New() transcript.Importer { return importer{} }

type importer struct{}

func (importer) Harness() string { return harness }

func (importer) Title() string { return "Codex" }

// Places are the folders of running and of archived sessions.
func (importer) Places(env transcript.Environment) []string {
	home := filepath.Join(env.Home, ".codex")
	if env.Getenv != nil {
		if moved := env.Getenv("CODEX_HOME"); moved != "" {
			home = moved
		}
	}
	return []string{filepath.Join(home, "sessions"), filepath.Join(home, "archived_sessions")}
}

// Replay is by prefix: a fork begins with what it copied.
func (importer) Replay() transcript.Replay { return transcript.ReplayPrefix }

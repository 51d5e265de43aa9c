// Package claudecode reads and interprets the session files of Claude Code:
// JSON lines below ~/.claude/projects, one file a session, and beside it or in
// a folder of the session's name one file for each sub-agent.
//
// # What it promises
//
// Each JSON value is one record of the session that its line names; lines of
// sub-agents are records of the sub-agent's own stream, also where the main file
// only repeats them as progress. A line written again, sliced off or copied is
// the same record: it is known by its uuid, or by its bytes where it has none.
//
// What a person wrote is told apart from what the harness put around it by marks
// at the edges of the text, never inside of it.
//
// # What it does not
//
// It follows no parentUuid to find the live branch: records count in the order
// of time, also those of a branch that was left.
package claudecode

import "tapedeck/internal/transcript"

// harness is the name of Claude Code in refs.
const harness = "claude-code"

type importer struct{}

// New returns the importer.
func New() transcript.Importer { return importer{} }

func (importer) Harness() string { return harness }
func (importer) Title() string   { return "Claude Code" }

// Replay: resuming and forking write the earlier session's lines again, with
// their uuids, into the new session's file.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

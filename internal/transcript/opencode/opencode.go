// Package opencode imports the sessions of OpenCode, and of Kilo, which keeps
// the same ones in folders of its own.
//
// # What it reads
//
// The tree of small JSON files that early versions wrote (storage/session,
// storage/message, storage/part) and the SQLite database of later ones
// (opencode.db, tables session, message and part). A file, or a row, is one
// record. Of an edited one the version that was updated last counts, wherever
// it stands.
//
// # What it promises
//
// A database is read row by row while the harness writes to it, with what stands
// in its write-ahead log, and never written to; of one that changed only rows
// that were updated since are read.
//
// # What it does not
//
// Rows that the harness deleted stay in the raw log and in the session. A session
// that was reverted and not gone on with is shown whole, as the harness keeps it.
package opencode

import (
	"path/filepath"

	"tapedeck/internal/transcript"
)

// An importer of one of the harnesses that share this form.
type importer struct {
	harness, title string
	folder         string // below the data folder
	database       string // file name, without its ending
	variable       string // environment variable that names the database
}

// New returns the importer of OpenCode's sessions.
func New() transcript.Importer {
	return importer{"opencode", "OpenCode", "opencode", "opencode", "OPENCODE_DB"}
}

// NewKilo returns the importer of Kilo's sessions.
func NewKilo() transcript.Importer {
	return importer{"kilo", "Kilo", "kilo", "kilo", ""}
}

func (i importer) Harness() string { return i.harness }
func (i importer) Title() string   { return i.title }

// Places is the harness' folder in the data folder, which XDG_DATA_HOME moves,
// and the database that a variable names.
func (i importer) Places(env transcript.Environment) []string {
	getenv := env.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	data := getenv("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(env.Home, ".local", "share")
	}
	places := []string{filepath.Join(data, i.folder)}
	if i.variable != "" {
		if database := getenv(i.variable); filepath.IsAbs(database) {
			places = append(places, database)
		}
	}
	return places
}

// Replay is of no matter: a forked session gets new identifiers throughout.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

package cli

import (
	"errors"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/store"
)

// errImportLoss: the command did its work, but some of the agents' files, or
// sessions, could not be read.
var errImportLoss = errors.New("a part of the agents' files could not be read")

// openHints say what to do when the store does not open.
func openHints(err error) []string {
	switch {
	case errors.Is(err, store.ErrNewer):
		return []string{"Hint: install the newer tapedeck, or name another folder with --store-dir"}
	case errors.Is(err, store.ErrDamaged):
		return []string{"Hint: put a copy of it back, or move it away and import again: the agents' logs are as they were; or name another folder with --store-dir"}
	case errors.Is(err, store.ErrFull):
		return []string{"Hint: make room on the disk, or name another folder with --store-dir"}
	case errors.Is(err, store.ErrUnavailable):
		return []string{"Hint: check that the database runs and may be reached: --postgres, or --store-dir"}
	}
	return nil
}

// archiveHints are the parts of e that help to mend the call, a line each.
func archiveHints(e *archive.Error) []string {
	var lines []string
	if len(e.Allowed) > 0 && !strings.Contains(e.Message, e.Allowed[0]) {
		lines = append(lines, "It can be: "+some(e.Allowed))
	}
	if len(e.Nearest) > 0 {
		lines = append(lines, "Nearest: "+some(e.Nearest))
	}
	if len(e.Candidates) > 0 {
		lines = append(lines, "It may be: "+some(e.Candidates))
	}
	if e.Hint != "" {
		lines = append(lines, "Hint: "+sessionWords.Replace(e.Hint))
	}
	return lines
}

// sessionWords put commands and flags for the tools and settings that hints
// speak of.
var sessionWords = strings.NewReplacer(
	"list_sessions", "tapedeck sessions ls", "get_session", "tapedeck sessions show",
	"vector_store_target", "--vector-store-target", "postgres", "--postgres", "store_dir", "--store-dir", "give next_cursor of the part before as it came", "give --cursor as the part before said it",
)

// sessionFlags are what the command line calls the arguments of the archive.
var sessionFlags = map[string]string{
	"since": "--since", "until": "--until", "status": "--status", "sort": "--sort", "limit": "--limit", "by": "--by",
	"harness": "agent", "format": "--format", "session_id": "SESSION", "display_name": "NAME",
}

// searchFlags are what it calls those of the search.
var searchFlags = map[string]string{
	"query": "QUERY", "top_k": "--top", "mode": "--mode", "scope": "--scope", "session_id": "--session", "project": "--project",
	"harness": "--agent", "model": "--model", "after": "--after", "before": "--before", "min_score": "--min-score",
}

// inFlags is a message about an argument in terms of the command line.
func inFlags(message string, flags map[string]string) string {
	argument, rest, _ := strings.Cut(message, " ")
	if flag, ok := flags[argument]; ok {
		return flag + " " + rest
	}
	return message
}

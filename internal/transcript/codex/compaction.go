package codex

import "tapedeck/internal/session"

// How a compaction is told: newer versions tell each in several of these ways.
const (
	compactedLine = iota
	compactedEvent
	compactedItem
	compactedWays
)

// compactions counts how often compactions were told, by the way. As every way
// that a version has tells all of them, the largest count is their number.
type compactions struct {
	Told  [compactedWays]int64 `json:"told"`
	Known int64                `json:"known"`
}

// tell notes that one was told, and reports whether it was for the first time.
func (c *compactions) tell(way int) bool {
	c.Told[way]++
	if c.Told[way] <= c.Known {
		return false
	}
	c.Known = c.Told[way]
	return true
}

// compacted tells of a compaction once, and of the summary that took the place
// of what was said before.
func (in *interpreter) compacted(way int, summary string) {
	if in.Compactions.tell(way) {
		in.flushPrompt()
		in.Call = nil
		in.emit(&session.Note{Name: session.NoteCompaction, Text: session.Clip(summary, session.MaxPreview), Status: session.StatusOK})
	}
	if summary != "" {
		in.emit(&session.Prompt{Origin: session.Summary, Content: textParts(summary)})
	}
}

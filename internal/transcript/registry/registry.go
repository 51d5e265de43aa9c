// Package registry lists the importers, in the order in which they are asked
// whether a file is theirs: those with the clearest marks first.
package registry

import (
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/aider"
	"tapedeck/internal/transcript/claudecode"
	"tapedeck/internal/transcript/codex"
	"tapedeck/internal/transcript/gemini"
	"tapedeck/internal/transcript/langfuse"
	"tapedeck/internal/transcript/opencode"
	"tapedeck/internal/transcript/otlp"
	"tapedeck/internal/transcript/pi"
)

// All are the importers.
func All() []transcript.Importer {
	return []transcript.Importer{
		claudecode.New(),
		codex.New(),
		gemini.New(),
		opencode.New(),
		opencode.NewKilo(),
		pi.New(),
		langfuse.New(),
		otlp.New(),
		aider.New(),
	}
}

// Of is the importer of a harness, nil when there is none.
func Of(harness string) transcript.Importer {
	for _, i := range All() {
		if i.Harness() == harness {
			return i
		}
	}
	return nil
}

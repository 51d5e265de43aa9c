// Package registry lists the importers, in the order in which they are asked
// whether a file is theirs: those with the clearest marks first.
package registry

import "tapedeck/internal/transcript"

// All are the importers.
func All() []transcript.Importer { return nil }

// Of is the importer of a harness, nil when there is none.
func Of(harness string) transcript.Importer {
	for _, i := range All() {
		if i.Harness() == harness {
			return i
		}
	}
	return nil
}

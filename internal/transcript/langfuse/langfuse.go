// Package langfuse imports exports of Langfuse: a trace with its observations.
//
// # What it reads
//
// Documents {"trace": …, "observations": […]}, and traces as Langfuse's API gives
// them with their observations inside; one in a file, a list of them, or one a
// line. The trace becomes a record, without its observations, and each of these
// one. A session is what the trace names as such, else the trace.
//
// # What it promises
//
// Of a trace or observation that was exported more than once the one that was
// updated last counts. Generations around generations, as two instrumentations in
// one program make them, count once, the inner ones. Stated costs are kept.
//
// # What it does not
//
// Scores and prompts are in the raw records alone. What only the trace says of
// input and output counts where no observation says more.
package langfuse

import "tapedeck/internal/transcript"

const harness = "langfuse"

type importer struct{}

// New returns the importer of Langfuse's exports.
func New() transcript.Importer { return importer{} }

func (importer) Harness() string { return harness }
func (importer) Title() string   { return "Langfuse" }

// Places is empty: exports are saved anywhere.
func (importer) Places(transcript.Environment) []string { return nil }

// Replay is of no matter: an observation is of one trace.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

// Package otlp imports OpenTelemetry traces of model calls: files of OTLP's JSON
// (one request a document or a line, also gzipped), and the spans that
// OpenTelemetry for JavaScript holds in memory, as some save them.
//
// # What it reads
//
// Each span becomes a record that stands for itself: the resource and scope as
// they stood around it, with this span alone. Log records that tell of a span's
// messages are records beside it. What spans mean is told in the dialects that
// package chat knows.
//
// # Which session a span belongs to
//
// The one that its attributes name (gen_ai.conversation.id, session.id, …); else
// the one that another span of its trace names, in the same file, of several the
// least; else the one that the resource names; else the trace is the session. So
// a span that names none, in a file that does not hold the span of its trace
// which does, or not yet when it was read, becomes a part of a session of its
// own. Where both files are read its record is in both sessions, and counts in
// one.
//
// # What it does not
//
// It knows no folder: it claims files by what they hold. Metrics are not read.
// Conversations of more traces than are kept in memory (see maxTraces) fall apart
// where spans name no session.
package otlp

import "tapedeck/internal/transcript"

const harness = "otlp"

type importer struct{}

// New returns the importer of OpenTelemetry traces.
func New() transcript.Importer { return importer{} }

func (importer) Harness() string { return harness }
func (importer) Title() string   { return "OpenTelemetry" }

// Places is empty: exporters write wherever they are told to.
func (importer) Places(transcript.Environment) []string { return nil }

// Replay is by origin: a span that names no session may be in two.
func (importer) Replay() transcript.Replay { return transcript.ReplayByOrigin }

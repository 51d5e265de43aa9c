package session

// A Projection is what was derived from one stream: all of it, or what follows
// an earlier derivation.
type Projection struct {
	// From is the number of traces of the first session that stay as they were
	// derived before; those from Seq From on are replaced. With 0 everything of
	// the stream is replaced, also sessions that are no longer derived.
	From     int
	Sessions []ProjectedSession // the stream's own first, then those of threads
	// Checkpoints let the next derivation begin near the end; opaque to stores.
	Checkpoints []byte
}

// A ProjectedSession is a session with all that is new in it. Session holds the
// sums over all traces, also those before From.
type ProjectedSession struct {
	Session Session
	Daily   []DayUsage // over all traces
	Traces  []ProjectedTrace
	Links   []Link // from the traces in Traces
}

// DayUsage is what a session took on one day (UTC) of one model. Prompts and
// tool calls stand with the model of their trace's first answer.
type DayUsage struct {
	Day        string // "2006-01-02"; "" unknown
	Model      string
	Usage      Usage
	Messages   int64
	Prompts    int64
	ToolCalls  int64
	ToolErrors int64
}

// A ProjectedTrace is a trace with its spans in order.
type ProjectedTrace struct {
	Trace Trace
	Spans []ProjectedSpan
}

// A ProjectedSpan is a span whose content is packed: Span.Input and Span.Output
// are nil.
type ProjectedSpan struct {
	Span   Span
	Input  Packed
	Output Packed
}

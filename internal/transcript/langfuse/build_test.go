package langfuse

import (
	"fmt"
	"strings"
)

// export is a trace with observations; more are fields of the trace.
func export(trace, more string, observations ...string) string {
	return fmt.Sprintf(`{"trace":{"id":%q,"name":"demo","timestamp":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:05:00.000Z"%s},"observations":[%s]}`,
		trace, more, strings.Join(observations, ","))
}

// observed is an observation in its second; more are further fields.
func observed(n int, id, parent, kind, more string) string {
	below := "null"
	if parent != "" {
		below = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"id":%q,"traceId":"t","type":%q,"parentObservationId":%s,"name":%q,"startTime":"2026-01-02T03:04:%02d.000Z","endTime":"2026-01-02T03:04:%02d.500Z","level":"DEFAULT","statusMessage":null%s}`,
		id, kind, below, id, n, n, more)
}

const (
	hi    = `,"input":[{"role":"user","content":"hi"}]`
	hello = `,"output":{"role":"assistant","content":"hello"}`
)

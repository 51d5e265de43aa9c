// Package sessions holds the whole agent road from its faces: logs of agents go
// into both stores, and what comes out of the HTTP API and the MCP tools must be
// equal, byte for byte, before and after changes; the way in must make no
// difference. Its benchmarks measure what the road promises of speed and size.
//
// The logs are samples, made-up ones, and the corpus where that is there. The
// tests need PostgreSQL (see scripts/postgres).
package sessions

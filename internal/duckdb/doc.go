// Package duckdb is a thin layer over DuckDB's C interface: open, execute,
// append whole batches, stream results.
//
// # What it does not
//
// It is no database/sql driver. That interface executes every statement but
// the last of a text on Prepare and holds a whole result before the first row
// (measured; see docs/architecture.md), which neither untrusted SQL nor bounded
// memory can live with.
//
// # What it promises
//
// Nothing is copied value by value across cgo: appending and reading work on
// DuckDB's own vectors. Handles are released by Close, which may be called twice.
// A DB may be used from several goroutines; a Conn and what comes from it by
// one at a time, except for Interrupt.
package duckdb

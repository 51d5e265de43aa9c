// Package query answers SQL over loaded recordings, for callers that are not trusted:
// an agent may send anything, and may have been told to by what it read.
//
// # Four walls
//
// Each holds alone against what it is there for; none is relied on alone.
//
//  1. The gate parses without executing: one statement that reads, whose tables are
//     the catalog's and whose functions are on a reviewed list (functions.txt).
//  2. The configuration: table files attached read-only, everything outside of them
//     switched off, settings locked; a fresh connection and a read-only transaction
//     for each statement.
//  3. The worker process: a bounded address space, no file to write to, the engine's
//     standard output pointing nowhere, killed at the deadline.
//  4. The limits: rows, bytes and time, which a caller can lower and only the pool's
//     options can raise.
//
// # What it does not
//
// It knows nothing of recordings, loading or caches: a Catalog says which table
// files there are and under which names statements see their tables.
//
// Resource limits work on Linux. macOS does not enforce the address space, and Windows
// has no such limits: there the deadline and DuckDB's own memory limit remain.
//
// # What it promises
//
// A statement sees the catalog it was asked with. A worker that dies costs the one
// statement it served. Errors wrap the sentinels of this package and carry DuckDB's
// own words without paths.
package query

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
// # How values are written
//
// Rows.AppendJSON writes a row as a JSON array, straight from DuckDB's vectors and
// without loss:
//
//   - integers of any type and size: a number up to 2^53, a string above it, because
//     many readers of JSON round what is larger
//   - DECIMAL: a number up to 15 significant digits, a string above
//   - FLOAT, DOUBLE: the shortest digits that give the same value back; "NaN",
//     "Infinity" and "-Infinity" as strings
//   - DATE, TIME, TIMESTAMP and their kin: ISO 8601 with all the digits that the type keeps,
//     TIMESTAMP WITH TIME ZONE in UTC; "infinity" and "-infinity"; INTERVAL as a duration
//     whose months, days and time have signs of their own: P-1M2DT3.500000S
//   - BLOB, and GEOMETRY as its WKB: lower-case hex; BIT: its digits
//   - LIST, ARRAY: an array; STRUCT: an object, or an array when its fields have no names;
//     MAP: an object when its keys are VARCHAR, else an array of {"key","value"};
//     UNION: an object of one member, the tag; JSON: its text
//   - VARIANT is refused with a hint to cast it
//
// Control and format characters (bidirectional overrides, zero-width ones) are
// escaped. Bytes that are no UTF-8 become U+FFFD. A value too large for its cell
// is cut, keeps being valid JSON, and says "…" where something is missing.
//
// # What it promises
//
// Nothing is copied value by value across cgo: appending and reading work on
// DuckDB's own vectors. Handles are released by Close, which may be called twice.
// A DB may be used from several goroutines; a Conn and what comes from it by
// one at a time, except for Interrupt.
package duckdb

// Package table turns recordings into tables that DuckDB can attach.
//
// # What it does
//
// A load decodes the selected messages of one recording into one DuckDB file,
// a table a topic, in a cache folder of its own that is named by the file's
// fingerprint and the load's options. The same load, in another process or
// next week, finds the folder and decodes nothing. A [Set] keeps which loads are
// visible under which names, within a memory budget.
//
// # What it does not
//
// It runs no SQL that came from outside: package query attaches the files
// READ_ONLY in a process of its own.
//
// # What it promises
//
// A load appears whole, by one rename, or not at all; what a killed load left
// is swept away by the next one. Columns are those that [Describe] tells.
// Memory is bounded whatever the size of the recording: by a few of its blocks,
// by what the appenders may hold, and by the engine's limit, beyond which it
// spills to disk or, where it can't, the load fails with a [MemoryError].
package table

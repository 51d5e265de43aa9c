// Package decode turns the messages of one schema into typed columns.
//
// # What it does
//
// A [Decoder] claims a pair of encodings (how messages are written, how their
// schema is written) and compiles a schema into a [Plan]. The plan knows the
// columns from the schema alone, except for an [Inferrer], and appends one row a
// message to a [Batch] of typed, nested [Vector]s, without reflection and
// without a map a message. The sub-packages each hold one encoding, all of one
// shape; package registry lists their decoders.
//
// # What it does not
//
// It reads no files and knows no database: a batch is plain Go memory in the
// layout that columnar engines use (values, validity, offsets), for the caller
// to hand on.
//
// # What it promises
//
// Columns follow the table in docs/columns.md: same names, order and types for
// the same schema and [Options], always. A message that can't be decoded gives
// an error and leaves nothing behind once the caller has called
// [Batch.DropRow]. No message and no schema, however hostile, makes a plan
// panic, loop, or allocate more than a small multiple of the bytes it was given.
package decode

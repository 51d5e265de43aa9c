// Package flatbuffer decodes FlatBuffers messages into columns.
//
// # What it reads
//
// Messages of encoding "flatbuffer" whose schema is a binary schema (.bfbs, as
// flatc writes it by reflection.fbs), or the same in base64 text, as WebSocket
// bridges write it. The root is the table that the schema's name says, or the
// root_type when there is no such table. Messages may have a size in front.
// 64-bit offsets and vectors are read too.
//
// # How messages become columns
//
// Beside the table in docs/columns.md:
//   - Columns follow the fields' ids, which is their order in the .fbs file;
//     deprecated fields are left out.
//   - An absent scalar has the default of the schema, or is NULL when its
//     default is null. An absent string, vector, struct or table is NULL.
//   - [ubyte] is BLOB. A fixed array of a struct is a LIST, of ubyte a BLOB.
//   - An enum's value is the name of exactly that value; a combination of bit
//     flags that has no name of its own is its number.
//   - A union NAME becomes NAME_type, the name of the member, and the columns
//     of each member behind NAME_MEMBER, NULL unless it is the one.
//   - A table type without fields is BOOLEAN, true where it is present.
//   - foxglove.Time and foxglove.Duration are TIMESTAMP_NS and nanoseconds.
//   - A vector of unions, and a table type inside of itself, are JSON text as
//     flatc writes it, but with [ubyte] in base64.
//
// # What it does not
//
// Nested flatbuffers and flexbuffers stay the bytes that they are. What a
// schema requires, sorts or hashes is not checked.
//
// # What it promises
//
// Every offset, length and vtable is checked before it is followed. Offsets
// may share what they point to, so that a small message can stand for a huge
// one: work and memory are bounded by the size of the message and of the schema,
// see [decode.Budget] and limits.go.
package flatbuffer

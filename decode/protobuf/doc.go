// Package protobuf decodes Protocol Buffers messages into columns.
//
// # What it reads
//
// Messages of encoding "protobuf" whose schema is a FileDescriptorSet, as
// MCAP asks for it, or the same in base64 text, as WebSocket bridges write it.
// The set may list its files in any order and more than once, and may leave
// out google/protobuf/*.proto; another file may be missing as long as the
// message needs no type from it. proto2, proto3 and the editions that the Go
// library knows are read, groups and packed or unpacked lists included.
//
// # How messages become columns
//
// Beside the table in docs/columns.md:
//   - A column says NULL where the message tells absence: optional fields,
//     members of a oneof, required fields that are missing, all that an absent
//     message holds. An explicit default of proto2 is not used.
//   - A field that occurs several times is merged as the specification says:
//     the last scalar counts, lists grow, messages merge, a oneof keeps the
//     member that came last.
//   - A map keeps its keys in order of first appearance, each with its last value.
//   - A message type without fields is BOOLEAN, true where it is present.
//   - Wrappers such as google.protobuf.DoubleValue are nullable scalars.
//   - Any, Struct, Value, ListValue, FieldMask, and a message type inside of
//     itself, are JSON text: that of proto3, but with the fields named as in
//     the schema and 64-bit integers as numbers. Any has "@type" and "value",
//     which is base64 when the schema does not hold the type.
//   - A schema that is itself one of these, or a time, is one column "value".
//
// # What it does not
//
// Extensions and fields that the schema does not know are skipped. Values are
// not validated beyond their encoding: required fields, ranges of timestamps
// and UTF-8 are no reason to refuse a message.
//
// # What it promises
//
// Decoding walks the wire format by tables made once from the descriptors,
// without reflection. Work and memory are bounded by the size of the message
// and of the schema: see [decode.Budget] and limits.go.
package protobuf

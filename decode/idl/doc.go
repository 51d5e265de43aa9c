// Package idl decodes CDR messages whose schema is written in OMG IDL 4.2: the
// schema encodings "ros2idl" and "omgidl" of MCAP.
//
// # What it reads
//
// One text with all the definitions that a message needs, in any order, in the
// modules that are nested and reopened as their writers like: structs with
// inheritance, unions, enums, bitmasks, bitsets, typedefs, constants with
// expressions, arrays, bounded and unbounded sequences, strings and maps, and
// the annotations of DDS-XTypes 1.3 that change how a message is written. A
// ros2idl text may be cut in sections by lines of "=" and "IDL: pkg/msg/Type".
//
// Bitmasks and bitsets become the unsigned integers that they are in a message,
// with their bits in the description; a map becomes a list of key and value, as
// it is there, where nothing forbids a key that comes twice; a
// union that is the whole message becomes a struct with the member "value".
//
// # What it does not
//
// It reads no other files: #include and every other preprocessor line is
// passed over, since the recording holds what was included. Interfaces,
// valuetypes, exceptions, fixed and any have no place in a recorded message;
// they are passed over, and only a message that is made of them is refused.
// Bounds of strings and sequences, keys, ranges and defaults don't change what
// is written, so they are not enforced.
//
// # What it promises
//
// The layout of messages is that of package cdr. What can't be understood
// gives an error that wraps [decode.ErrSchema] and says in which line what was
// expected; a type that the message does not need is never the reason. A
// hostile text costs time and memory in proportion to its length, which is
// bounded, as are the depth of nesting and the length of an expression.
package idl

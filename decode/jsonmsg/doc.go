// Package jsonmsg decodes JSON messages, with a JSON Schema or without one.
//
// # What it does
//
// The columns come from the schema as far as it goes and from the messages for
// the rest: a plan of this package is a [decode.Inferrer]. A reader that is
// compiled from them scans each message once and appends straight into the
// batch. It guesses that keys come in the order of the last message, and is
// right nearly always.
//
// A message field becomes
//
//	integer, or only integers seen       BIGINT; HUGEINT beyond 64 bits
//	number, or fractions seen            DOUBLE
//	string; with contentEncoding base64  VARCHAR; BLOB
//	object                               one column a field, or STRUCT within lists
//	array                                LIST, of STRUCT for objects
//	object declared as {sec, nsec}       TIMESTAMP_NS, or BIGINT nanoseconds for a duration
//	several kinds, recursion, no value   JSON text
//
// JSON text is the value as the message writes it, so that a string is in
// quotes there. A list of which elements are of several kinds is JSON text as a
// whole. So is an object of which no key is known, {}; once a key is seen, {} is
// NULL in the columns of its keys. A key that is absent is NULL, as is null. Of a
// key that is written twice the last value stays, though both count for the type.
// A message that is no object goes to a column "value".
//
// # What it does not
//
// It does not check messages against their schema: formats, bounds, required
// and conditional keywords are left alone, and references to other documents
// are not followed. It tells no map from a record, so that keys which are data
// become columns until there are too many (see below).
//
// # What it promises
//
// No value is dropped or rounded. A value that its column can't hold gives
// [decode.ErrWiden]; observed, it widens the column, to JSON text at worst, and
// [decode.Inferrer.Warnings] names the column if the schema said otherwise.
// Integers share a DOUBLE column only while each is exact. The same messages
// give the same types, in whatever order they are observed, unless they have
// more keys than can be columns.
//
// What is not JSON costs its message: no NaN, no trailing comma, no second
// document, no text that is not UTF-8. A byte order mark is let pass, and a
// lone surrogate becomes U+FFFD. Values may lie 512 deep; from the 32nd level on
// they are JSON text. An object becomes JSON text as a whole when it gains more
// than 1000 keys beside those that its schema or its first appearance had, when
// all keys together are more than decode.MaxColumns, or when a name would be
// longer than decode.MaxName. A message that asks for far more nulls than it has
// bytes is refused.
package jsonmsg

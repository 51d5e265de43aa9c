// Package cdr turns messages in OMG CDR and in ROS 1's serialisation into
// columns, for every definition language whose types fit its model.
//
// # What it does
//
// A definition language (ros1msg, ros2msg, ros2idl, omgidl) parses its text
// to a [Type]; [Compile] turns that into a plan: a list of steps from bytes to
// vectors. XCDR1 and XCDR2 are read in both byte orders, with optional members,
// delimited and mutable types, unions and enums.
//
// # What it does not
//
// It parses no definitions and writes no messages, and it does not check the
// bounds of bounded strings and sequences.
//
// # What it promises
//
// Columns follow from the type and the options alone. A message that ends
// early, or that says it holds more than its bytes can back, gives an error
// before anything of that size is allocated. Bytes behind the message's end are
// let be, as serial bridges and padding leave them there. Where vendors write
// the same thing differently (wide characters, optional members, types that
// don't say how extensible they are), the first way is the standard's, that of
// ROS 2 or the one that the message's root shows, and another counts only when
// the message fits it to the last byte and the first way not.
package cdr

// Package ros decodes messages of ROS 1 and ROS 2 whose schema is the text of
// .msg files: the message's own, then, each behind a line of "=" and a line
// "MSG: package/Type", those of the types that it names.
//
// # What it does
//
// It parses the text, resolves names as ROS does (the package of the definition
// that names a type comes first), describes fields by their comments and
// constants, and hands the result to package cdr. Raw .srv and .action text,
// which rosbag2 stores for service events and feedback, becomes the message that
// ROS makes of it.
//
// # What it does not
//
// It knows no IDL (that is package idl), and holds no definitions of its own
// but those that every recording takes for granted, such as std_msgs/Header.
// Defaults and bounds are read over: they are not on the wire.
//
// # What it promises
//
// A definition that is missing, cut off or not what its name says gives an
// error that wraps [decode.ErrSchema] and names what is missing; it is never
// guessed at.
package ros

package protobuf

import "errors"

var (
	errMalformed = errors.New("not a protobuf message")
	errRange     = errors.New("time is out of the range of 64-bit nanoseconds")
	errDepth     = errors.New("messages lie too deep in one another")
)

// Bounds on schemas. Descriptors hold the full name of each declaration, so
// that long names around many short ones multiply.
const (
	maxNameLength     = 1024
	maxNestedTypes    = 100 // levels of declarations and options in a descriptor
	maxImportDepth    = 256
	maxPublicImports  = 100_000 // ways along public imports, which the library walks one by one
	nameBytesPerByte  = 32      // full names, a byte of schema
	nameBytesAlways   = 1 << 16
	maxNamesSuggested = 8
)

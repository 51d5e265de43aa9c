package flatbuffer

import "errors"

var (
	errMalformed = errors.New("not a flatbuffer")
	errExpands   = errors.New("message becomes far larger than it is")
	errDepth     = errors.New("tables lie too deep in one another")
)

// Bounds on schemas, which may share what they hold as messages may.
const (
	maxDefinitions    = 1 << 18 // fields and enum values that are read
	maxNameLength     = 1024
	readPerByte       = 32 // bytes of text and vectors, a byte of schema
	readAlways        = 1 << 16
	maxDescription    = 1000 // bytes of one
	maxNamesSuggested = 8
)

// Bounds on messages: what lists, text and JSON text may take in columns.
const (
	expandBytes   = 4 << 20 // always allowed
	expandPerByte = 256     // and this for a byte of message
	maxJSONDepth  = 64
)

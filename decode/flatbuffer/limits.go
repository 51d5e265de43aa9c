package flatbuffer

import "errors"

var (
	errMalformed = errors.New("not a flatbuffer")
	errDepth     = errors.New("tables lie too deep in one another")
)

// Bounds on schemas, which may share what they hold as messages may.
const (
	maxDefinitions    = 1 << 18 // fields and enum values that are read
	maxNameLength     = 1024
	readPerByte       = 32 // bytes of text and vectors, a byte of schema
	readAlways        = 1 << 16
	maxNamesSuggested = 8
)

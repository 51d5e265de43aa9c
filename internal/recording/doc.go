// Package recording says what a recording is, whatever container holds it.
//
// # What it does
//
// It has the types that the containers' packages fill ([File], [Summary],
// [Block], [Message]) and that the table loader and the library read, and
// [OpenAs], which finds out what a file is by its content. The containers are
// sub-packages; package recording/open lists them.
//
// # What it does not
//
// It decodes no message and knows no container's format. It does not repair
// files, and never writes to one.
//
// # What it promises
//
// A damaged file gives everything that is whole and a [Warning] for everything
// that is not. What is no recording at all is refused with one sentence that
// says what it seems to be and what to do about it.
package recording

//go:build race

package query

// raceDetector: its tables take more address space than a worker may have.
const raceDetector = true

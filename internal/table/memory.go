package table

import "fmt"

// MemoryError tells that a load takes more memory than it may. The engine reads
// and writes 2048 rows of a column at once: of messages of a megabyte that is
// two gigabytes, which it can't spill to disk.
type MemoryError struct {
	LimitMB int
	Err     error // the engine's
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("it takes more than the %d MB of memory that a load may", e.LimitMB)
}

// Unwrap gives the engine's error.
func (e *MemoryError) Unwrap() error { return e.Err }

package recording

// Scratch holds the buffers that a goroutine needs to read blocks one after
// the other. The zero value is ready. It is for one goroutine.
type Scratch struct {
	// Data is the last block's bytes, for the container's package.
	Data []byte
}

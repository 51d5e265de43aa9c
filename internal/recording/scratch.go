package recording

// Scratch holds the buffers that a goroutine needs to read blocks one after
// the other. The zero value is ready. It is for one goroutine.
type Scratch struct {
	// Raw is the last block's bytes as they lie in the file, and Data the same
	// decompressed. Both are for the container's package.
	Raw, Data []byte
}

package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
)

// BlobOf is the part that stands for base64 content: its size and hash. Content
// that is no base64 is counted and hashed as it stands.
func BlobOf(mediaType, encoded string) Part {
	hash := sha256.New()
	n, err := io.Copy(hash, base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded)))
	if err != nil {
		hash.Reset()
		n, _ = io.Copy(hash, strings.NewReader(encoded))
	}
	return Part{Type: Blob, MediaType: mediaType, Bytes: n, SHA256: hex.EncodeToString(hash.Sum(nil))}
}

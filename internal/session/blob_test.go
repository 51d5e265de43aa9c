package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlobOf(t *testing.T) {
	sum := func(s string) string {
		hash := sha256.Sum256([]byte(s))
		return hex.EncodeToString(hash[:])
	}
	image := "\x89PNG\r\n\x1a\n and so on"
	encoded := base64.StdEncoding.EncodeToString([]byte(image))
	for name, test := range map[string]struct {
		encoded, decoded string
	}{
		"base64":              {encoded, image},
		"base64 in two lines": {encoded[:8] + "\r\n" + encoded[8:], image},
		"cut base64":          {encoded[:9], encoded[:9]},
		"no base64":           {"https://example.com/a.png", "https://example.com/a.png"},
		"nothing":             {"", ""},
	} {
		want := Part{Type: Blob, MediaType: "image/png", Bytes: int64(len(test.decoded)), SHA256: sum(test.decoded)}
		if diff := cmp.Diff(want, BlobOf("image/png", test.encoded)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

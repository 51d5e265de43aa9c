package decode

import (
	"bytes"
	"encoding/base64"
)

// DecodeBase64 decodes a schema that is base64 text, as WebSocket bridges write
// binary ones: in any of the common alphabets, padded or not, white space aside.
func DecodeBase64(text []byte) (raw []byte, ok bool) {
	text = bytes.TrimRight(bytes.Join(bytes.Fields(text), nil), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		raw = make([]byte, encoding.DecodedLen(len(text)))
		if n, err := encoding.Decode(raw, text); err == nil {
			return raw[:n], true
		}
	}
	return nil, false
}

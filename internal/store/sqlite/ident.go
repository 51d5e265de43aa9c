package sqlite

import (
	"hash/fnv"
	"strings"

	"github.com/google/uuid"
)

// prefixes of identifiers that are packed; the place is the first byte of the
// packed form. It must not change.
var prefixes = []string{"", "trc_", "llm_", "tool_", "agent_", "evt_"}

// packIdent is an identifier in the form that it is stored in: a prefix and a UUID
// take 17 bytes. Other texts stay what they are; none is NULL.
func packIdent(text string) any {
	if text == "" {
		return nil
	}
	at := strings.IndexByte(text, '_') + 1
	for i, prefix := range prefixes {
		if text[:at] != prefix {
			continue
		}
		id, err := uuid.Parse(text[at:])
		if err != nil || id.String() != text[at:] {
			break
		}
		return append([]byte{byte(i)}, id[:]...)
	}
	return text
}

// ident is the next column's identifier.
func (r *row) ident() string {
	switch v := r.value().(type) {
	case string:
		return v
	case []byte:
		if len(v) == 17 && int(v[0]) < len(prefixes) {
			return prefixes[v[0]] + uuid.UUID(v[1:]).String()
		}
		return string(v)
	}
	return ""
}

// hash64 is the hash that indices have in place of a text.
func hash64(text string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return int64(hash.Sum64())
}

// hashOrNull is the hash, or NULL where there is no text.
func hashOrNull(text string) any {
	if text == "" {
		return nil
	}
	return hash64(text)
}

package pi

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// hashBytes is how much of a SHA-256 identifies an entry.
const hashBytes = 12

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:hashBytes])
}

// treeFields are those that Pi adds or changes when it migrates a file.
var treeFields = []string{"id", "parentId", "firstKeptEntryIndex", "firstKeptEntryId"}

// contentHash identifies an entry by what it says, which has the time to the
// millisecond. Identifiers are of 8 hexadecimal digits, too few to tell the
// entries of all sessions apart, and older entries have none.
func contentHash(entry gjson.Result) string {
	if !entry.IsObject() {
		return hashOf([]byte(entry.Raw))
	}
	var content []byte
	entry.ForEach(func(name, value gjson.Result) bool {
		if !slices.Contains(treeFields, name.Str) {
			content = append(append(content, name.Str...), 0)
			content = append(append(content, sayingOf(name.Str, value)...), 0)
		}
		return true
	})
	return hashOf(content)
}

// sayingOf is the text of a field. Version 3 renamed a role.
func sayingOf(name string, value gjson.Result) string {
	if name == "message" && text(value.Get("role")) == "hookMessage" {
		return strings.Replace(value.Raw, `"hookMessage"`, `"custom"`, 1)
	}
	return value.Raw
}

var uuidInName = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// keyOf is the stream's key: the session's own identifier, from the header, else
// from the file's name; else the first record is the identifier.
func keyOf(entry gjson.Result, path string, body []byte) string {
	if id := text(entry.Get("id")); isHeader(entry) && id != "" {
		return id
	}
	if id := uuidInName.FindString(filepath.Base(path)); id != "" {
		return id
	}
	return hashOf(body)
}

const ownHeader = "header"

// headerKey is the same for the session's header in all versions; another
// session's is a record like any other.
func headerKey(header gjson.Result, key string) string {
	if id := text(header.Get("id")); id != key {
		return ownHeader + "-" + hashOf([]byte(header.Raw))
	}
	return ownHeader
}

// factsOf is what the header tells of where the session came from: the file of
// another session, whose name has its identifier.
func factsOf(entry gjson.Result, own string) session.StreamFacts {
	if !isHeader(entry) {
		return session.StreamFacts{}
	}
	from := text(entry.Get("parentSession"))
	if from == "" {
		from = text(entry.Get("branchedFrom"))
	}
	from = from[strings.LastIndexAny(from, `/\`)+1:]
	id := uuidInName.FindString(from)
	if id == "" {
		id = strings.TrimSuffix(from, ".jsonl")
	}
	if id == "" || id == own {
		return session.StreamFacts{}
	}
	return session.StreamFacts{ForkedFrom: &session.Ref{Harness: harness, Key: id}}
}

package gemini

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

// Claims reports whether a file is a session: one among the chats by its name,
// one elsewhere by what its first value holds.
func (importer) Claims(f *transcript.File) bool {
	ext := filepath.Ext(f.Path)
	if ext != ".json" && ext != ".jsonl" {
		return false
	}
	head := bytes.TrimLeft(f.Head(), "\ufeff \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	return isLogStart(head) || isSnapshot(head) || (amongChats(f.Path) && !isForeign(head))
}

// amongChats reports whether a path is that of a session in the harness' own
// folders: in chats, or a sub-agent's in chats/<session>.
func amongChats(path string) bool {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "chats" {
		return strings.HasPrefix(filepath.Base(path), "session-")
	}
	return filepath.Base(filepath.Dir(dir)) == "chats"
}

// isForeign reports whether a value that is cut off says that it is no session.
func isForeign(head []byte) bool {
	return gjson.GetBytes(head, "method").Exists() || gjson.GetBytes(head, "uuid").Exists()
}

func isLogStart(head []byte) bool {
	return gjson.GetBytes(head, "sessionId").Type == gjson.String && gjson.GetBytes(head, "projectHash").Exists()
}

// isSnapshot knows a document by its first message: the identifiers may stand
// behind all of them, where the head does not reach.
func isSnapshot(head []byte) bool {
	first := gjson.GetBytes(head, "messages.0")
	if first.Get("id").Exists() && knownTypes[first.Get("type").Str] {
		return true
	}
	first = gjson.GetBytes(head, "history.0")
	return first.Get("parts").IsArray() && knownTypes[first.Get("role").Str]
}

// knownTypes are those of messages; "model" stands for gemini in early files.
var knownTypes = map[string]bool{
	typeUser: true, typeGemini: true, typeModel: true,
	"info": true, "error": true, "warning": true,
}

const (
	typeUser   = "user"
	typeGemini = "gemini"
	typeModel  = "model"
)

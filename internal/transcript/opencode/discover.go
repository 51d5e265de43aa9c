package opencode

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

// The tables, which are also the folders of the tree.
const (
	tableSession = "session"
	tableMessage = "message"
	tablePart    = "part"
)

// Claims reports whether a file is the database or a file of the tree, by its
// name, its folders and what it holds.
func (i importer) Claims(f *transcript.File) bool {
	if i.isDatabase(f) {
		return true
	}
	if filepath.Ext(f.Path) != ".json" || i.isOthers(f.Path) {
		return false
	}
	head := bytes.TrimLeft(f.Head(), "\ufeff \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	get := func(name string) gjson.Result { return gjson.GetBytes(head, name) }
	if get("id").Type != gjson.String {
		return false
	}
	switch tableOf(f.Path) {
	case tableSession:
		return get("time.created").Exists() && (get("title").Exists() || get("directory").Exists() || get("projectID").Exists())
	case tableMessage:
		return get("role").Exists() && get("sessionID").Exists()
	case tablePart:
		return get("type").Exists() && (get("messageID").Exists() || isPartFolder(f.Path))
	}
	return false
}

// isOthers reports whether a file of the tree belongs to the other harness of
// this form: the files themselves do not tell.
func (i importer) isOthers(path string) bool {
	kilo := strings.Contains(filepath.ToSlash(path), "/kilo/storage/")
	return kilo != (i.folder == "kilo")
}

func folders(path string) []string {
	return strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
}

// tableOf is the folder of the tree that a file is in, "" for none. The oldest
// trees have message and part below session.
func tableOf(path string) string {
	names := folders(path)
	for n := len(names) - 1; n >= max(len(names)-4, 0); n-- {
		switch names[n] {
		case tableSession, tableMessage, tablePart:
			return names[n]
		}
	}
	return ""
}

// isPartFolder reports whether a part lies in a folder named after its message.
func isPartFolder(path string) bool {
	return filepath.Base(filepath.Dir(path)) != tablePart
}

const databaseMagic = "SQLite format 3\x00"

// isDatabase reports whether a file is the harness' database. Channels other
// than the stable one have names such as opencode-dev.db.
func (i importer) isDatabase(f *transcript.File) bool {
	stem, ok := strings.CutSuffix(filepath.Base(f.Path), ".db")
	if !ok || (stem != i.database && !strings.HasPrefix(stem, i.database+"-")) {
		return false
	}
	return bytes.HasPrefix(f.Head(), []byte(databaseMagic))
}

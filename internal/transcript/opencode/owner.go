package opencode

import (
	"io"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"
)

const (
	// maxMessages bounds how many files are looked at for a part's session.
	maxMessages = 10_000
	messageHead = 4096
)

// sessionOf finds the session of a part that does not say it: in the message's
// file, which lies in a folder named after its session. The file has the
// message's name, or its content must tell.
func sessionOf(path, message string) string {
	root := treeOf(path)
	if message == "" || root == "" || message != filepath.Base(message) {
		return ""
	}
	sessions, err := os.ReadDir(filepath.Join(root, tableMessage))
	if err != nil {
		return ""
	}
	for _, folder := range sessions {
		file := filepath.Join(root, tableMessage, folder.Name(), message+".json")
		if id, owner := messageIDs(file); id == message {
			return owner
		}
	}
	looked := 0
	for _, folder := range sessions {
		files, _ := os.ReadDir(filepath.Join(root, tableMessage, folder.Name()))
		for _, file := range files {
			if looked++; looked > maxMessages {
				return ""
			}
			id, owner := messageIDs(filepath.Join(root, tableMessage, folder.Name(), file.Name()))
			if id == message {
				return owner
			}
		}
	}
	return ""
}

// treeOf is the folder that holds the folders of the tables.
func treeOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == tablePart {
			return filepath.Dir(dir)
		}
	}
	return ""
}

// messageIDs are the identifiers at the beginning of a message's file.
func messageIDs(path string) (id, owner string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", ""
	}
	file, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	head := make([]byte, messageHead)
	n, _ := io.ReadFull(file, head)
	return gjson.GetBytes(head[:n], "id").Str, gjson.GetBytes(head[:n], "sessionID").Str
}

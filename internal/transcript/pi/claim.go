package pi

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

// entryTypes are the types of entries, as of version 3.
var entryTypes = []string{
	"message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message",
	"label", "session_info", "context_edit", "usage",
}

// Claims looks at the file's first line: a header, or an entry of the tree where
// the file is a part of one.
func (importer) Claims(f *transcript.File) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(f.Head(), []byte("\ufeff")), " \t\r\n")
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(first, []byte("{")) {
		return false
	}
	root := gjson.ParseBytes(first)
	if text(root.Get("id")) == "" || !root.Get("timestamp").Exists() {
		return false
	}
	kind := text(root.Get("type"))
	if kind == "session" {
		return root.Get("cwd").Exists() || root.Get("version").Exists()
	}
	return slices.Contains(entryTypes, kind) && root.Get("parentId").Exists()
}

// text is the value of a field that should be a string; "" where it is not.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

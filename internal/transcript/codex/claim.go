package codex

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
)

// rolloutKinds are the types of lines in rollouts, as of 0.15x.
var rolloutKinds = []string{
	sessionMeta, turnContext, responseItem, eventMsg, compacted, "world_state", "inter_agent_communication_metadata",
}

// Claims looks at the file's first line, which may be longer than the head.
func (importer) Claims(f *transcript.File) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(f.Head(), []byte("\ufeff")), " \t\r\n")
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(first, []byte("{")) {
		return false
	}
	root := gjson.ParseBytes(first)
	kind := text(root.Get("type"))
	switch {
	case kind == "thread.started":
		return text(root.Get("thread_id")) != ""
	case kind != "":
		return slices.Contains(rolloutKinds, kind) && root.Get("timestamp").Exists() && root.Get("payload").Exists()
	}
	return isBareMeta(root) || isBareMessage(root)
}

// isBareMeta recognises the first line of mid-2025.
func isBareMeta(root gjson.Result) bool {
	return text(root.Get("id")) != "" && text(root.Get("timestamp")) != "" && !root.Get("role").Exists() &&
		(root.Get("instructions").Exists() || root.Get("git").Exists())
}

// isBareMessage recognises a message by itself. Other agents write messages
// with a role too, but as objects, without a time or with identifiers.
func isBareMessage(root gjson.Result) bool {
	if root.Get("uuid").Exists() || root.Get("id").Exists() || root.Get("sessionId").Exists() {
		return false
	}
	written := firstText(root, "timestamp", "created_at")
	return text(root.Get("role")) != "" && written != "" && firstText(root, "content", "message") != ""
}

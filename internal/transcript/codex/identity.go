package codex

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strconv"

	"tapedeck/internal/session"
)

// hashBytes is how much of a SHA-256 identifies a record.
const hashBytes = 12

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:hashBytes])
}

// recordKey is made from the place in the file, because lines repeat exactly,
// and from the content, because two files may be of one session.
func recordKey(number int64, body []byte) string {
	return strconv.FormatInt(number, 10) + "-" + hashOf(body)
}

var uuidInName = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// keyOf is the stream's key: the session's own identifier, from the file's first
// record, else from its name; else the first record is the identifier.
func keyOf(l line, path string, body []byte) string {
	id := ""
	switch l.kind {
	case sessionMeta:
		id = text(l.payload.Get("id"))
	case execEvent:
		id = text(l.payload.Get("thread_id"))
	}
	if id == "" {
		id = uuidInName.FindString(filepath.Base(path))
	}
	if id == "" {
		id = hashOf(body)
	}
	return id
}

// factsOf is what the first session_meta tells of where the session came from.
// A spawned thread names its parent twice, and as what it was forked from where
// it was given the parent's history; a person's fork may name a parent, too.
func factsOf(l line, own string) session.StreamFacts {
	if l.kind != sessionMeta {
		return session.StreamFacts{}
	}
	ref := func(id string) *session.Ref {
		if id == "" || id == own {
			return nil
		}
		return &session.Ref{Harness: harness, Key: id}
	}
	forked := text(l.payload.Get("forked_from_id"))
	parent := firstText(l.payload, "source.subagent.thread_spawn.parent_thread_id", "parent_thread_id")
	if !isSubagent(l) && parent == forked {
		parent = ""
	}
	return session.StreamFacts{Parent: ref(parent), ForkedFrom: ref(forked)}
}

// isSubagent reports whether a session_meta is that of a sub-agent.
func isSubagent(meta line) bool {
	return meta.payload.Get("source.subagent").Exists() || text(meta.payload.Get("thread_source")) == "subagent"
}

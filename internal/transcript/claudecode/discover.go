package claudecode

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// Places are the folders "projects" below the folders of configuration.
func (importer) Places(env transcript.Environment) []string {
	var places []string
	for _, dir := range strings.Split(env.Getenv("CLAUDE_CONFIG_DIR"), ",") {
		if dir = strings.TrimSpace(dir); dir != "" {
			places = append(places, filepath.Join(dir, "projects"))
		}
	}
	config := env.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(env.Home, ".config")
	}
	return append(places,
		filepath.Join(env.Home, ".claude", "projects"),
		filepath.Join(config, "claude", "projects"))
}

// Claims: JSON lines that look like Claude Code's, and the small files beside
// those of sub-agents.
func (importer) Claims(f *transcript.File) bool {
	switch base := filepath.Base(f.Path); {
	case isMeta(base):
		return sourceOf(f.Path).nested || isInside(f.Path)
	case !isLines(base):
		return false
	}
	head := f.Head()
	if len(bytes.Trim(head, " \t\r\n\x00\ufeff")) == 0 {
		return isInside(f.Path) || sourceOf(f.Path).named
	}
	return isClaude(head)
}

var lines = regexp.MustCompile(`\.jsonl(\.\d+)?$`)

// isLines reports whether a name is one of JSON lines, or of a numbered part.
func isLines(base string) bool { return lines.MatchString(base) }

func isMeta(base string) bool {
	return strings.HasPrefix(base, agentPrefix) && strings.HasSuffix(base, metaSuffix)
}

// isInside reports whether a path lies in a folder where Claude Code writes.
func isInside(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/.claude/projects/") || strings.Contains(path, "/claude/projects/")
}

// isClaude looks for the first line in the beginning of a file that tells.
func isClaude(head []byte) bool {
	r := jsonl.NewReader(bytes.NewReader(head), 0)
	for {
		var lost *jsonl.LostError
		switch err := r.Next(); {
		case err == nil:
			if looks := looksLikeClaude(gjson.ParseBytes(r.Value())); looks != unsure {
				return looks == yes
			}
		case errors.As(err, &lost):
		default:
			cut := head[min(r.Offset(), int64(len(head))):]
			return looksLikeClaude(gjson.ParseBytes(cut)) == yes
		}
	}
}

type guess int

const (
	unsure guess = iota
	yes
	no
)

// looksLikeClaude judges a line; of one that is cut, what there is of it.
func looksLikeClaude(line gjson.Result) guess {
	if !line.IsObject() {
		return unsure
	}
	message := line.Get("message")
	switch kind := line.Get("type").String(); kind {
	case "user", "assistant":
		// Gemini CLI has these types without a message, its descendants a message in parts.
		if !message.IsObject() || message.Get("parts").Exists() {
			return no
		}
		return yes
	case "":
		if line.Get("sessionId").Exists() && (line.Get("parentUuid").Exists() || message.Get("usage").Exists()) {
			return yes
		}
		return unsure
	case "summary":
		return guessBy(line.Get("leafUuid").Exists())
	case "progress":
		return guessBy(line.Get("data.type").Exists() && line.Get("sessionId").Exists())
	case "started", "result":
		return guessBy(line.Get("agentId").Exists() && line.Get("key").Exists())
	case "system", "attachment":
		return guessBy(line.Get("sessionId").Exists() || line.Get("attachment.type").Exists())
	case "file-history-snapshot", "queue-operation":
		return yes
	default:
		if knownKinds[kind] {
			return guessBy(line.Get("sessionId").Exists())
		}
		return unsure
	}
}

func guessBy(looks bool) guess {
	if looks {
		return yes
	}
	return unsure
}

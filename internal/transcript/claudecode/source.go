package claudecode

import (
	"path/filepath"
	"regexp"
	"strings"

	"tapedeck/internal/session"
)

const (
	agentPrefix = "agent-"
	metaSuffix  = ".meta.json"
	// subagentsFolder lies in the folder of a session.
	subagentsFolder = "subagents"
)

// A source is what the path of a file tells of its lines.
type source struct {
	session string // "": not told
	agent   string // "": the file of a session
	nested  bool   // it lies in a session's folder of sub-agents
	named   bool   // it has a name that Claude Code gives
}

var uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func sourceOf(path string) source {
	path = filepath.ToSlash(path)
	folders := strings.Split(path, "/")
	stem := folders[len(folders)-1]
	if short := strings.TrimSuffix(lines.ReplaceAllString(stem, ""), metaSuffix); short != "" {
		stem = short
	}
	var s source
	for i := len(folders) - 2; i > 0; i-- {
		if folders[i] == subagentsFolder {
			s.nested = true
			s.session = folders[i-1]
			break
		}
	}
	if agent, ok := strings.CutPrefix(stem, agentPrefix); ok {
		s.agent = agent
		s.named = true
		return s
	}
	id := uuidPattern.FindString(stem)
	s.named = id != "" && id == stem
	switch {
	case s.nested:
	case id != "":
		s.session = id
	default:
		s.session = stem
	}
	return s
}

// mainRef is the stream of a session.
func mainRef(id string) session.Ref { return session.Ref{Harness: harness, Key: id} }

// agentRef is the stream of a session's sub-agent; of an unknown session's, if
// that is "". Workflows' agents name their session with a mark of their own.
func agentRef(id, agent string) session.Ref {
	id = strings.TrimSuffix(id, "#"+agentPrefix+agent)
	agent = agentPrefix + identifier(agent)
	if id == "" {
		return mainRef(agent)
	}
	return mainRef(identifier(id)).Sub(agent)
}

// factsOf tells the parent of a sub-agent's stream.
func factsOf(ref session.Ref) session.StreamFacts {
	id, _, isAgent := strings.Cut(ref.Key, "/"+agentPrefix)
	if !isAgent {
		return session.StreamFacts{}
	}
	parent := mainRef(id)
	return session.StreamFacts{Parent: &parent}
}

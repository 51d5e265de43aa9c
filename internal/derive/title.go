package derive

import (
	"encoding/json"
	"strings"

	"tapedeck/internal/session"
)

const (
	maxTitle  = 200
	maxJudged = 1 << 20
	untitled  = "Untitled"
)

// named is what a session is called, and what is told of it as a whole.
type named struct {
	Title          session.Title
	Facts          session.Facts
	Started, Ended session.Time
}

func (n *named) title(t *session.Title) {
	if text := oneLine(t.Text); text != "" && t.Rank >= n.Title.Rank {
		n.Title = session.Title{Text: text, Rank: t.Rank}
	}
}

func (n *named) facts(f *session.Facts) {
	set(&n.Facts.Name, oneLine(f.Name))
	set(&n.Facts.AgentType, name(f.AgentType, maxName))
	set(&n.Facts.ParentCallID, strings.Clone(f.ParentCallID))
	set(&n.Facts.Internal, f.Internal)
	set(&n.Facts.StartedAt, f.StartedAt)
	set(&n.Facts.Partial, name(f.Partial, session.MaxPreview))
}

func (n *named) at(t session.Time) {
	if t == 0 {
		return
	}
	if n.Started == 0 || t < n.Started {
		n.Started = t
	}
	n.Ended = max(n.Ended, t)
}

// then is n with what o, which stands behind it, says otherwise.
func (n named) then(o named) named {
	n.title(&o.Title)
	n.facts(&o.Facts)
	n.at(o.Started)
	n.at(o.Ended)
	return n
}

// set sets what is given.
func set[T comparable](to *T, value T) {
	var none T
	if value != none {
		*to = value
	}
}

// titleOf is what a session is called: by its titles, else by what a person
// first wrote, else by the harness' name for it.
func (f *fold) titleOf(n named) string {
	for _, text := range []string{n.Title.Text, f.description, f.Prompt, f.Command, n.Facts.Name} {
		if text != "" {
			return text
		}
	}
	return untitled
}

// titleFrom is a title made of a prompt: its prose in one line. JSON is none.
func titleFrom(parts []session.Part) string {
	text := strings.TrimSpace(beginningOf(parts))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if isJSON(textOf(parts)) {
			return ""
		}
	}
	if prose, code, found := strings.Cut(text, "```"); found {
		if strings.TrimSpace(prose) != "" {
			text = prose
		} else if _, inside, more := strings.Cut(code, "\n"); more { // behind the language
			text = strings.ReplaceAll(inside, "```", "")
		}
	}
	return oneLine(strings.TrimLeft(text, "#>*` \t\r\n"))
}

// isJSON reports whether text that begins as JSON is that. So long a text is
// data, whether all of it is right or not.
func isJSON(text string) bool { return len(text) > maxJudged || json.Valid([]byte(text)) }

func textOf(parts []session.Part) string {
	texts := make([]string, 0, 1)
	for _, p := range parts {
		if p.Type == session.Text {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "") // of one text no copy
}

// oneLine is text in one line, at most maxTitle bytes of it.
func oneLine(text string) string {
	words := strings.Fields(clean(beginning(text)))
	return session.Clip(strings.Join(words, " "), maxTitle)
}

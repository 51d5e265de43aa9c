package opencode

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A teller turns messages and their parts into events.
type teller struct {
	harness  string
	subagent bool // its prompts are its parent's
	typed    bool // its agent was told
	events   []session.Event
	counts   map[string]int // events of each record
}

// add tells something that a record says.
func (t *teller) add(e element, at session.Time, what session.What) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	key := e.record
	if t.counts[e.record]++; t.counts[e.record] > 1 {
		key += "#" + strconv.Itoa(t.counts[e.record])
	}
	t.events = append(t.events, session.Event{Key: key, Record: e.record, At: at, What: what})
}

// unnamed are the titles that sessions have until a model gave them one.
var unnamed = regexp.MustCompile(`^(New|Child) session - `)

// agentInTitle is how the titles of sub-agents' sessions end.
var agentInTitle = regexp.MustCompile(`\(@([\w./-]+) subagent\)$`)

// begin tells what holds for the session.
func (t *teller) begin(s element) {
	if s.record == "" {
		return
	}
	doc := s.doc
	t.subagent = doc.Get("parentID").Str != "" || doc.Get("parent_id").Str != ""
	title := clean(doc.Get("title"))
	facts := &session.Facts{StartedAt: s.at, Name: clean(doc.Get("slug"))}
	if agent := agentInTitle.FindStringSubmatch(title); t.subagent && agent != nil {
		facts.AgentType, t.typed = agent[1], true
	}
	t.add(s, 0, facts)
	t.add(s, 0, &session.Context{
		Cwd: clean(doc.Get("directory")), HarnessVersion: clean(doc.Get("version")),
	})
	if title != "" && !unnamed.MatchString(title) {
		t.add(s, 0, &session.Title{Text: title, Rank: session.TitleModel})
	}
}

// user tells what a person wrote, and what the harness put beside it.
func (t *teller) user(m element, parts []element) {
	at := createdAt(m)
	var written, injected []session.Part
	for _, p := range parts {
		switch kind := p.doc.Get("type").Str; kind {
		case "text":
			part := session.Part{Type: session.Text, Text: clean(p.doc.Get("text"))}
			if p.doc.Get("synthetic").Bool() || p.doc.Get("ignored").Bool() {
				injected = append(injected, part)
			} else {
				written = append(written, part)
			}
		case "file":
			written = append(written, filePart(p.doc))
		case "subtask":
			t.add(p, at, &session.Prompt{Origin: session.Command, Content: []session.Part{
				{Type: session.Text, Text: clean(p.doc.Get("prompt"))},
			}})
		default:
			t.note(p, at)
		}
	}
	if len(parts) == 0 {
		written = summaryOf(m.doc)
	}
	if len(written) > 0 {
		origin := session.Typed
		if t.subagent {
			origin = session.Delegated
		}
		t.add(m, at, &session.Prompt{Origin: origin, Content: written})
	}
	if len(injected) > 0 {
		t.add(m, at, &session.Prompt{Origin: session.Injected, Content: injected})
	}
}

// summaryOf is what a message without parts was about: all that is left of it.
func summaryOf(message gjson.Result) []session.Part {
	for _, name := range []string{"summary.body", "summary.title"} {
		if text := clean(message.Get(name)); text != "" {
			return []session.Part{{Type: session.Text, Text: text}}
		}
	}
	return nil
}

// filePart is a file that a person or tool attached: its bytes stand in a data
// URL, or it is named by its address.
func filePart(doc gjson.Result) session.Part {
	name, media, address := clean(doc.Get("filename")), clean(doc.Get("mime")), doc.Get("url").String()
	if data, ok := strings.CutPrefix(address, "data:"); ok {
		if _, encoded, ok := strings.Cut(data, ","); ok {
			part := session.BlobOf(media, encoded)
			part.Name = name
			return part
		}
	}
	return session.Part{Type: session.Blob, Name: name, MediaType: media, URL: session.Clean(address)}
}

// knownParts are the types of parts.
var knownParts = map[string]bool{
	"text": true, "reasoning": true, "tool": true, "file": true, "step-start": true, "step-finish": true,
	"patch": true, "snapshot": true, "compaction": true, "agent": true, "subtask": true, "retry": true,
}

// note tells of a part that is neither content nor a tool.
func (t *teller) note(p element, at session.Time) {
	switch kind := p.doc.Get("type").Str; kind {
	case "compaction":
		note := &session.Note{Name: session.NoteCompaction, Attributes: map[string]string{}}
		for _, name := range []string{"auto", "overflow"} {
			if value := p.doc.Get(name); value.IsBool() {
				note.Attributes[name] = value.Raw
			}
		}
		t.add(p, at, note)
	case "patch":
		var files []string
		for _, file := range p.doc.Get("files").Array() {
			files = append(files, clean(file))
		}
		t.add(p, at, &session.Note{Name: kind, Text: strings.Join(files, "\n")})
	case "retry":
		if again := millis(p.doc.Get("time.created")); again != 0 {
			at = again
		}
		t.add(p, at, &session.Note{Name: kind, Text: failure(p.doc.Get("error")), Status: session.StatusError})
	case "subtask":
		t.add(p, at, &session.Note{Name: kind, Text: clean(p.doc.Get("description"))})
	}
}

// failure is an error in one line of words.
func failure(err gjson.Result) string {
	name, message := clean(err.Get("name")), clean(err.Get("data.message"))
	if message == "" {
		message = clean(err.Get("message"))
	}
	if name == "" || message == "" {
		return session.Clip(name+message, session.MaxPreview)
	}
	return session.Clip(name+": "+message, session.MaxPreview)
}

func clean(value gjson.Result) string {
	if value.Type != gjson.String {
		return ""
	}
	return session.Clean(value.Str)
}

// millis is a moment that the harness wrote, in milliseconds.
func millis(value gjson.Result) session.Time { return session.Time(max(value.Int(), 0)) }

// createdAt is when a message began.
func createdAt(m element) session.Time {
	if at := millis(m.doc.Get("time.created")); at != 0 {
		return at
	}
	return m.at
}

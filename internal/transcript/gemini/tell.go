package gemini

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// provider is who serves the models.
const provider = "google"

// A teller turns messages into events.
type teller struct {
	subagent bool // the first prompt is its parent's
	events   []session.Event
	from     message
	count    int // events of the message so far
}

// begin tells what holds for the session.
func (t *teller) begin(m meta, root string) {
	t.from = message{id: "@session", record: keySession}
	t.add(&session.Facts{StartedAt: m.started})
	if cwd := firstOf(root, m.directory); cwd != "" || m.model != "" {
		t.add(&session.Context{Cwd: cwd, Model: m.model, Provider: provider})
	}
	if m.summary != "" {
		t.add(&session.Title{Text: m.summary, Rank: session.TitleSummary})
	}
}

// add tells something of the current message. Keys are made of its id, which a
// snapshot and a log share, not of the record's, of which an edit makes another.
func (t *teller) add(what session.What) {
	key := t.from.id
	if t.count++; t.count > 1 {
		key += "#" + strconv.Itoa(t.count)
	}
	t.events = append(t.events, session.Event{
		Key: key, Record: t.from.record, At: moment(timeOf(t.from.body)), What: what,
	})
}

func (t *teller) tell(m message) {
	t.from, t.count = m, 0
	switch kind := typeOf(m.body); kind {
	case typeUser:
		t.prompt(m.body)
	case typeGemini, typeModel:
		t.answer(m.body)
	case "error":
		t.add(&session.Note{Name: session.NoteError, Text: plainText(contentOf(m.body)), Status: session.StatusError})
	default:
		t.note(kind, plainText(contentOf(m.body)))
	}
}

// note tells of info, warning and what is not known.
func (t *teller) note(kind, text string) {
	if strings.TrimSpace(text) == "Request cancelled." {
		t.add(&session.Note{Name: session.NoteInterrupted, Text: text, Status: session.StatusInterrupted})
		return
	}
	t.add(&session.Note{Name: session.Clip(session.Clean(kind), 80), Text: text})
}

// prompt tells a user message: what a person wrote, then what the harness put
// behind it (files that were named with @).
func (t *teller) prompt(body gjson.Result) {
	written, injected := contents(contentOf(body)), []session.Part(nil)
	if shown := contents(body.Get("displayContent")); len(shown) > 0 {
		written, injected = shown, behind(written, shown)
	} else {
		written, injected = cutReferences(written)
	}
	if text := textOf(written); isSummary(text) {
		t.add(&session.Note{Name: session.NoteCompaction})
		t.add(&session.Prompt{Origin: session.Summary, Content: written})
	} else if len(written) > 0 {
		t.add(&session.Prompt{Origin: t.origin(text), Content: written})
	}
	if len(injected) > 0 {
		t.add(&session.Prompt{Origin: session.Injected, Content: injected})
	}
}

// behind is what content holds beyond what was shown.
func behind(content, shown []session.Part) []session.Part {
	if textOf(content) == textOf(shown) {
		return nil
	}
	if len(content) > 0 && content[0].Text == textOf(shown) {
		return content[1:]
	}
	return content
}

// cutReferences cuts a prompt where the harness began to add files.
func cutReferences(content []session.Part) (written, injected []session.Part) {
	for i, part := range content {
		if strings.HasPrefix(strings.TrimSpace(part.Text), "--- Content from referenced files ---") {
			return content[:i], content[i:]
		}
	}
	return content, nil
}

// slash is a command of the harness; a path has a second slash.
var slash = regexp.MustCompile(`^/[a-z][\w:-]*(\s|$)`)

// origin tells who wrote a prompt, by its edges.
func (t *teller) origin(text string) session.PromptOrigin {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "<session_context>") && strings.HasSuffix(text, "</session_context>"),
		strings.HasPrefix(text, "This is the Gemini CLI. We are setting up the context for our chat."),
		text == "System: Please continue.":
		return session.Injected
	case t.subagent:
		t.subagent = false
		return session.Delegated
	case slash.MatchString(text), strings.HasPrefix(text, "I ran the following shell command:\n```sh\n"):
		return session.Command
	}
	return session.Typed
}

// answer tells a model's message, which holds its tool calls with their results.
func (t *teller) answer(body gjson.Result) {
	answer := &session.Answer{
		Merge: t.from.id, Provider: provider,
		Model: session.Clean(body.Get("model").Str), Usage: usage(body.Get("tokens")),
	}
	body.Get("thoughts").ForEach(func(_, thought gjson.Result) bool {
		subject, description := thought.Get("subject").String(), thought.Get("description").String()
		text := strings.TrimSpace(strings.Trim(subject+"\n"+description, "\n"))
		answer.Content = append(answer.Content, session.Part{Type: session.Thinking, Text: session.Clean(text)})
		return true
	})
	answer.Content = append(answer.Content, contents(contentOf(body))...)
	calls := toolCalls(t.from.id, body.Get("toolCalls"))
	for _, c := range calls {
		answer.Content = append(answer.Content, c.part())
	}
	t.add(answer)
	for _, c := range calls {
		t.call(c)
	}
}

// usage counts tokens. Google's count of the input has the cached tokens in it,
// that of the output does not have the thoughts; the prompts of tools come on
// top of the input. A message without counts was not counted by the harness.
func usage(tokens gjson.Result) *session.Usage {
	if !tokens.IsObject() {
		return &session.Usage{Partial: true}
	}
	n := func(name string) int64 { return max(tokens.Get(name).Int(), 0) }
	cached := min(n("cached"), n("input"))
	return &session.Usage{
		InputTokens:     n("input") - cached + n("tool"),
		CacheReadTokens: cached,
		OutputTokens:    n("output") + n("thoughts"),
		ReasoningTokens: n("thoughts"),
	}
}

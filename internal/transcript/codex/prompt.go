package codex

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A prompt is one that may be told twice: by an event, which has what the person
// wrote, and by an item, which has what the model was given, images with it.
// Either may come first. It waits until the other comes or something else does.
type prompt struct {
	At      eventPlace     `json:"at"`
	Event   bool           `json:"event,omitempty"` // told by an event
	Text    string         `json:"text"`
	Content []session.Part `json:"content"`
}

// matches reports whether an item's content is that of a prompt's event.
func matches(event string, item []session.Part) bool {
	event = strings.TrimSpace(event)
	for _, p := range item {
		if p.Type == session.Text && strings.TrimSpace(p.Text) == event {
			return true
		}
	}
	return strings.TrimSpace(textOf(item)) == event
}

// promptEvent takes a prompt that an event tells.
func (in *interpreter) promptEvent(text string, images []session.Part) {
	content := append(textParts(text), images...)
	if origin, shown := wrapped(content); origin != "" {
		in.emit(&session.Prompt{Origin: origin, Content: shown})
		return
	}
	in.PromptEvents = true
	p := &prompt{At: in.place(), Event: true, Text: text, Content: content}
	switch waits := in.Prompt; {
	case waits != nil && !waits.Event && matches(text, waits.Content):
		p.addBlobs(waits.Content)
		in.Prompt = nil
		in.tellPrompt(p, in.personOrigin())
	case waits != nil && waits.Event && waits.Text == text:
		// told by an item_completed, too
	default:
		in.flushPrompt()
		in.Prompt = p
	}
}

// promptItem takes a message that an item tells a user to have written.
func (in *interpreter) promptItem(content []session.Part) {
	if origin, shown := wrapped(content); origin != "" {
		in.emit(&session.Prompt{Origin: origin, Content: shown})
		return
	}
	waits := in.Prompt
	if waits != nil && waits.Event && matches(waits.Text, content) {
		waits.addBlobs(content)
		in.flushPrompt()
		return
	}
	in.flushPrompt()
	in.Prompt = &prompt{At: in.place(), Text: textOf(content), Content: content}
}

// addBlobs takes the images that an item holds, if the event has none of them.
func (p *prompt) addBlobs(item []session.Part) {
	blobs := blobsOf(item)
	if len(blobs) > 0 {
		p.Content = append(textParts(p.Text), blobs...)
	}
}

// flushPrompt tells the prompt that waits. Where prompts are told by events, an
// item without one is of the harness.
func (in *interpreter) flushPrompt() {
	p := in.Prompt
	if p == nil {
		return
	}
	in.Prompt = nil
	if !p.Event && in.PromptEvents {
		in.emitAt(p.At, &session.Prompt{Origin: session.Injected, Content: p.Content})
		return
	}
	in.tellPrompt(p, in.personOrigin())
}

// personOrigin tells who writes the prompts of this session, and when.
func (in *interpreter) personOrigin() session.PromptOrigin {
	step := in.Task
	if in.Task == taskStarted {
		in.Task = taskPrompted
	}
	switch {
	case in.Subagent:
		return session.Delegated
	case step == taskPrompted:
		return session.Queued
	}
	return session.Typed
}

// tellPrompt opens a turn. What an editor put before the request is told apart.
func (in *interpreter) tellPrompt(p *prompt, origin session.PromptOrigin) {
	in.endTurn()
	content := p.Content
	if before, request, ok := cutEditorContext(p.Text); ok {
		context := p.At
		context.Key += "#context"
		in.emitAt(context, &session.Prompt{Origin: session.Injected, Content: textParts(before)})
		content = append(textParts(request), blobsOf(content)...)
	}
	in.emitAt(p.At, &session.Prompt{Origin: origin, Content: content})
}

const (
	editorContext = "# Context from my IDE setup:"
	editorRequest = "\n## My request for Codex:"
)

// cutEditorContext cuts what the editor extension writes before a request.
func cutEditorContext(text string) (context, request string, ok bool) {
	if !strings.HasPrefix(text, editorContext) {
		return "", text, false
	}
	context, request, ok = strings.Cut(text, editorRequest)
	return strings.TrimSpace(context), strings.TrimSpace(request), ok
}

// wrappers are the elements in which Codex wraps what it tells the model in the
// user's name. They are recognised where they are a whole text, from its first
// character to its last: the same words inside of a prompt are a person's.
var wrappers = []string{
	"environment_context", "user_instructions", "turn_aborted", "skill", "subagent_notification", "user_action",
	"permissions instructions", "collaboration_mode", "hook_prompt", "model_switch", "personality_spec",
	"recommended_plugins", "skills_instructions", "apps_instructions", "plugins_instructions", "realtime_conversation",
}

const (
	shellCommand  = "user_shell_command"
	agentsFile    = "# AGENTS.md instructions"
	agentsFileTag = "INSTRUCTIONS"
)

// wrapped tells what content that the harness wrapped is, and what of it is to
// be shown; "" where a person wrote it.
func wrapped(content []session.Part) (session.PromptOrigin, []session.Part) {
	if command, ok := inElement(textOf(content), shellCommand); ok {
		if inner, _, ok := strings.Cut(command, "</command>"); ok {
			command = strings.TrimPrefix(strings.TrimSpace(inner), "<command>")
		}
		return session.Command, textParts("!" + strings.TrimSpace(command))
	}
	if isInjected(content) {
		return session.Injected, content
	}
	return "", content
}

// isInjected reports whether content is nothing but wrapped texts.
func isInjected(content []session.Part) bool {
	texts := 0
	for _, p := range content {
		if p.Type != session.Text {
			return false
		}
		if !isWrapper(p.Text) {
			return false
		}
		texts++
	}
	return texts > 0
}

func isWrapper(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, agentsFile) {
		return strings.HasSuffix(text, "</"+agentsFileTag+">")
	}
	for _, name := range wrappers {
		if _, ok := inElement(text, name); ok {
			return true
		}
	}
	return false
}

// inElement is what stands in an element that is the whole text.
func inElement(text, name string) (string, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "<"+name) || !strings.HasSuffix(text, "</"+name+">") {
		return "", false
	}
	inner := text[len("<"+name) : len(text)-len("</"+name+">")]
	attributes, inner, ok := strings.Cut(inner, ">")
	if !ok || attributes != "" && attributes[0] != ' ' {
		return "", false
	}
	return inner, true
}

// imagesOf are the images that a user_message names: URLs, and paths of files.
func imagesOf(event gjson.Result) []session.Part {
	var parts []session.Part
	for _, field := range []string{"images", "local_images"} {
		event.Get(field).ForEach(func(_, image gjson.Result) bool {
			parts = append(parts, imageParts(text(image), "")...)
			return true
		})
	}
	return parts
}

package document

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

const (
	// shortLeaf is the longest value that is put before the others: commands,
	// paths and patterns before the contents of files.
	shortLeaf = 256
	// maxLeaves bounds how many values of an input are taken.
	maxLeaves = 500
	// maxDepth bounds how deep they are looked for. What lies deeper is taken as
	// JSON text.
	maxDepth = 8
	// maxPatched bounds how many files of a patch are named.
	maxPatched = 100
)

// bare are the names of values that say themselves what they are, as the tools of
// Claude Code, Codex, Gemini CLI, OpenCode and Pi spell them. Others keep their
// name: `subagent_type: Explore` says more than `Explore`.
var bare = map[string]bool{
	"": true, "command": true, "cmd": true, "commands": true, "script": true, "code": true, "input": true, "chars": true,
	"file_path": true, "filePath": true, "filepath": true, "path": true, "paths": true, "file": true, "files": true,
	"absolute_path": true, "notebook_path": true, "dir_path": true, "directory": true, "workdir": true, "cwd": true,
	"pattern": true, "glob": true, "regex": true, "query": true, "queries": true, "q": true, "url": true, "urls": true,
	"prompt": true, "description": true, "content": true, "text": true, "message": true, "question": true,
	"old_string": true, "new_string": true, "oldString": true, "newString": true, "oldText": true, "newText": true,
	"new_source": true, "patch": true, "patchText": true, "diff": true,
}

// A leaf is a text in a tool's input.
type leaf struct{ key, text string }

// inputText is what a tool was called with: texts by the generic rule, as there
// is no end of tools.
func inputText(p session.Part) string {
	if len(p.Input) == 0 {
		return readable(p.Text)
	}
	if !gjson.ValidBytes(p.Input) {
		return readable(ends(string(p.Input), rawEnd, rawEnd))
	}
	var kept []string
	for _, text := range leavesText(leavesOf(gjson.ParseBytes(p.Input))) {
		if text = cutLeaf(readable(text)); saysSomething(text) {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}

// cutLeaf is the ends of a long text, with the names of the files that it patches.
func cutLeaf(text string) string {
	if len(text) <= 2*outputEnd {
		return text
	}
	return strings.Join(append(patched(text), ends(text, outputEnd, outputEnd)), "\n")
}

// patched are the lines of a patch that name files.
func patched(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ "} {
			if len(names) < maxPatched && len(line) < shortLeaf && strings.HasPrefix(line, head) {
				names = append(names, strings.TrimSpace(line))
			}
		}
	}
	return names
}

// leavesText are the leaves in the order in which they are shown: short ones
// first, names where they help.
func leavesText(leaves []leaf) []string {
	var short, long []string
	for _, l := range leaves {
		text := l.line()
		if len(text) <= shortLeaf {
			short = append(short, text)
		} else {
			long = append(long, text)
		}
	}
	return append(short, long...)
}

// line is the leaf as it is shown. It is masked here as well, where it is known
// that the whole value belongs to the name.
func (l leaf) line() string {
	if kind := kindOfName(l.key); kind != "" && hides(kind, l.text, true) {
		return l.key + ": " + mark(kind)
	}
	switch {
	case bare[l.key]:
		return l.text
	case strings.Contains(l.text, "\n"):
		return l.key + ":\n" + l.text
	default:
		return l.key + ": " + l.text
	}
}

// leavesOf are the texts in a JSON value, in its order.
func leavesOf(v gjson.Result) []leaf {
	var w leafWalk
	w.value("", v, 0)
	return w.leaves
}

type leafWalk struct{ leaves []leaf }

func (w *leafWalk) add(key, text string) {
	if strings.TrimSpace(text) != "" && len(w.leaves) < maxLeaves {
		w.leaves = append(w.leaves, leaf{key, ends(text, rawEnd, rawEnd)})
	}
}

func (w *leafWalk) value(key string, v gjson.Result, depth int) {
	switch {
	case v.Type == gjson.String:
		w.add(key, v.Str)
	case v.Type != gjson.JSON:
		// Numbers and booleans are settings that nobody searches for.
	case depth == maxDepth:
		w.add(key, v.Raw)
	case v.IsArray():
		w.array(key, v, depth)
	default:
		v.ForEach(func(name, field gjson.Result) bool {
			w.value(name.String(), field, depth+1)
			return len(w.leaves) < maxLeaves
		})
	}
}

// array takes an array of texts as one: it is a command with its arguments, or a
// list of names.
func (w *leafWalk) array(key string, v gjson.Result, depth int) {
	var words []string
	v.ForEach(func(_, element gjson.Result) bool {
		if element.Type == gjson.String && len(words) < maxLeaves {
			words = append(words, element.Str)
			return true
		}
		w.value(key, element, depth+1)
		return len(w.leaves) < maxLeaves
	})
	w.add(key, strings.Join(words, " "))
}

package claudecode

import (
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Beginnings of what stands as the result of a call that a person stopped.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"[Request interrupted by user",
	"Request interrupted by user",
}

// addResult interprets a block that is a tool's result. What the line tells of
// the result beside it is about it alone if it is the line's only one.
func (in *interpreter) addResult(l *line, block, told gjson.Result) {
	result := &session.Result{
		CallID:     block.Get("tool_use_id").Str,
		Status:     session.StatusOK,
		Attributes: map[string]string{},
	}
	isError := block.Get("is_error").Bool()
	eachBlock(block.Get("content"), func(b gjson.Result) {
		part := partOf(b)
		if part.Type == session.Text {
			part.Type = session.ToolResult
		}
		part.IsError = isError
		result.Content = append(result.Content, part)
	})
	text := textOf(result.Content)
	switch {
	case isRefusal(text, isError) || told.Get("interrupted").Bool():
		result.Status = session.StatusInterrupted
	case isError:
		result.Status = session.StatusError
	}
	switch {
	case isError:
		result.Error = errorOf(text)
	case result.Status == session.StatusInterrupted:
		result.Error = "interrupted"
	}
	result.Duration = durationOf(told)
	describe(result.Attributes, text, isError, told)
	in.say(result)
	in.spawnedBy(l, result.CallID, text, told)
}

func isRefusal(text string, isError bool) bool {
	if !isError {
		return false
	}
	for _, beginning := range refusals {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}

// What stands before the words of a person who refused a call.
var reasons = []string{
	"The user provided the following reason for the rejection:",
	"To tell you how to proceed, the user said:",
}

// errorOf is what went wrong, in one line: what a person said who refused the
// call, or what a command printed behind its exit code.
func errorOf(text string) string {
	for _, words := range reasons {
		if _, reason, ok := strings.Cut(text, words); ok && isRefusal(text, true) {
			return session.Clip("refused: "+firstLine(reason), maxErrorLine)
		}
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "<tool_use_error>")
	first := strings.TrimSuffix(firstLine(text), "</tool_use_error>")
	if first == "" || exitCode.FindString(first) != first {
		return first
	}
	_, printed, _ := strings.Cut(text, "\n")
	if printed = firstLine(printed); printed == "" {
		return first
	}
	return session.Clip(first+": "+printed, maxErrorLine)
}

// durationOf is how long the tool says it took.
func durationOf(told gjson.Result) time.Duration {
	for _, field := range []struct {
		name string
		unit time.Duration
	}{
		{"durationMs", time.Millisecond},
		{"totalDurationMs", time.Millisecond},
		{"durationSeconds", time.Second},
	} {
		if value := told.Get(field.name); value.Type == gjson.Number {
			return duration(value.Num, field.unit)
		}
	}
	return 0
}

// maxDuration bounds what is taken for a duration.
const maxDuration = 10 * 365 * 24 * time.Hour

func duration(n float64, unit time.Duration) time.Duration {
	if !(n > 0) || n > float64(maxDuration/unit) {
		return 0
	}
	return time.Duration(n * float64(unit))
}

var exitCode = regexp.MustCompile(`^(?:Error: )?Exit code (\d{1,10})\b`)

// attributes are what tools tell beside their content, by the name that it has
// here.
var attributes = []struct{ field, name string }{
	{"exitCode", "exit_code"},
	{"returnCodeInterpretation", "exit_meaning"},
	{"backgroundTaskId", "background_task_id"},
	{"status", "status"},
	{"totalTokens", "subagent_tokens"},
	{"totalToolUseCount", "subagent_tool_calls"},
	{"searchCount", "searches"},
	{"code", "http_status"},
	{"persistedOutputPath", "full_output_path"},
}

func describe(to map[string]string, text string, isError bool, told gjson.Result) {
	if told.IsObject() {
		for _, a := range attributes {
			if value := told.Get(a.field); value.Type == gjson.String && value.Str != "" || value.Type == gjson.Number {
				to[a.name] = session.Clip(value.String(), maxErrorLine)
			}
		}
	}
	if !isError {
		return
	}
	if match := exitCode.FindStringSubmatch(text); match != nil {
		to["exit_code"] = match[1]
	}
}

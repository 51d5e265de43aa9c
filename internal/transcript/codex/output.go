package codex

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// outputOf reads what a tool gave. It comes as a string of text, as a string
// that holds JSON, as an object, or as a list of parts.
func outputOf(v gjson.Result) session.Result {
	if v.Type == gjson.String {
		if inner := gjson.Parse(v.Str); inner.IsObject() && isOutcome(inner) && gjson.Valid(v.Str) {
			return outcomeOf(inner)
		}
		return printedOf(v.Str)
	}
	if v.IsObject() && isOutcome(v) {
		return outcomeOf(v)
	}
	return session.Result{Content: partsOf(v), Status: session.StatusOK}
}

// isOutcome recognises an object around a tool's output; what a tool gave as
// JSON of its own has other fields.
func isOutcome(v gjson.Result) bool {
	return v.Get("metadata.exit_code").Exists() || v.Get("exitCode").Exists() || v.Get("exit_code").Exists() ||
		v.Get("success").IsBool() && (v.Get("content").Exists() || v.Get("content_items").Exists())
}

// outcomeOf reads {output, metadata{exit_code, duration_seconds}},
// {content, success} and {stdout, stderr, exitCode}.
func outcomeOf(v gjson.Result) session.Result {
	r := session.Result{Status: session.StatusOK}
	for _, field := range []string{"output", "content", "content_items", "aggregated_output"} {
		if r.Content = partsOf(v.Get(field)); r.Content != nil {
			break
		}
	}
	if r.Content == nil {
		r.Content = append(partsOf(v.Get("stdout")), partsOf(v.Get("stderr"))...)
	}
	if v.Get("success").Type == gjson.False {
		fail(&r, "")
	}
	for _, field := range []string{"metadata.exit_code", "exit_code", "exitCode"} {
		if code := v.Get(field); code.Type == gjson.Number {
			exit(&r, code.Raw)
		}
	}
	for _, field := range []string{"metadata.duration_seconds", "duration"} {
		if d := durationOf(v.Get(field)); d > 0 {
			r.Duration = d
		}
	}
	return r
}

// printedOf reads the text that the shell tools print: a few lines of facts,
// then "Output:".
func printedOf(s string) session.Result {
	r := session.Result{Content: textParts(s), Status: session.StatusOK}
	if refusal := refusalOf(s); refusal != "" {
		r.Status, r.Error = session.StatusInterrupted, refusal
		return r
	}
	header, rest, ok := strings.Cut(s, "\nOutput:\n")
	if !ok || len(header) > maxHeader {
		return r
	}
	if m := wallTime.FindStringSubmatch(header); m != nil {
		r.Duration = seconds(m[1])
	}
	if m := exitLine.FindStringSubmatch(header); m != nil {
		exit(&r, m[1])
		if r.Status == session.StatusError {
			r.Error = firstLine(rest, "exit code "+m[1])
		}
	}
	return r
}

// maxHeader bounds the lines before a tool's "Output:".
const maxHeader = 1 << 10

var (
	wallTime = regexp.MustCompile(`(?m)^Wall time: ([0-9.]+) seconds`)
	exitLine = regexp.MustCompile(`(?m)^(?:Exit code:|Process exited with code) (-?[0-9]+)`)
)

// refusalOf is what Codex gives in place of the output of a call that a person
// stopped or refused.
func refusalOf(s string) string {
	if len(s) > maxHeader {
		return ""
	}
	for _, mark := range []string{"aborted by user", "exec command rejected by user", "patch rejected by user", "rejected by user"} {
		if strings.HasPrefix(s, mark) || s == "aborted" {
			return firstLine(s, mark)
		}
	}
	return ""
}

// exit notes the exit code of a command; any but 0 is an error.
func exit(r *session.Result, code string) {
	r.Attributes = map[string]string{"exit_code": code}
	if n, err := strconv.ParseFloat(code, 64); err == nil && n != 0 {
		fail(r, "exit code "+code)
	}
}

// fail makes a result an error. Its first line says what went wrong where it
// says anything.
func fail(r *session.Result, otherwise string) {
	r.Status = session.StatusError
	r.Error = firstLine(textOf(r.Content), otherwise)
}

// firstLine is the first line of s that is not blank.
func firstLine(s, otherwise string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			return session.Clip(l, session.MaxPreview)
		}
	}
	return otherwise
}

// durationOf reads seconds, {secs, nanos}, or a text such as "1.5s".
func durationOf(v gjson.Result) time.Duration {
	switch {
	case v.Type == gjson.Number:
		return seconds(v.Raw)
	case v.Type == gjson.String:
		d, _ := time.ParseDuration(v.Str)
		return max(d, 0)
	case v.IsObject():
		return seconds(v.Get("secs").Raw) + time.Duration(min(max(v.Get("nanos").Int(), 0), int64(time.Second)))
	}
	return 0
}

// maxDuration is what no tool call takes.
const maxDuration = 365 * 24 * time.Hour

func seconds(s string) time.Duration {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n <= 0 || n > maxDuration.Seconds() {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

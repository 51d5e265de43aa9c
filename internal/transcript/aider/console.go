package aider

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"tapedeck/internal/session"
)

var (
	versionLine = regexp.MustCompile(`^Aider v(\S+)`)
	// "Main model: x with diff edit format", "Model: x with …", "Models: x with …,
	// weak model y"; other lines name the weak and the editor's model.
	modelLine = regexp.MustCompile(`^(?:Main model|Models?): (\S+?),?(?:\s|$)`)
	// "Tokens: 5.2k sent, 1.1k cache write, 3k cache hit, 342 received. Cost: …"
	tokenCount = regexp.MustCompile(`([0-9][0-9.,]*)\s*([kKmM]?)\s+(sent|cache write|cache hit|cache read|received)`)
	// the first amount is of this request, or message; the other of the session
	costLine = regexp.MustCompile(`Cost: \$([0-9][0-9.,]*) (?:message|request|send)`)
	// of what litellm says when a provider fails
	errorLine = regexp.MustCompile(`^litellm\.(\w*(?:Error|Exception|Timeout))\b`)
)

// console tells a block of the console: what is known of its lines, then all of
// it as it stood.
func (in *interpreter) console(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if found := versionLine.FindStringSubmatch(line); found != nil {
			in.add(&session.Context{HarnessVersion: found[1]})
		}
		if found := modelLine.FindStringSubmatch(line); found != nil {
			in.add(&session.Context{Model: found[1]})
		}
		if usage, ok := tokens(line); ok {
			in.counted(usage)
		}
		if errorLine.MatchString(line) {
			in.add(&session.Note{Name: session.NoteError, Text: session.Clip(line, session.MaxPreview), Status: session.StatusError})
		}
		if strings.HasPrefix(line, "^C") {
			in.add(&session.Note{Name: session.NoteInterrupted, Text: line, Status: session.StatusInterrupted})
		}
	}
	if text != "" {
		in.add(&session.Note{Name: string(kindConsole), Text: text})
	}
}

// counted tells the tokens of the answer before; one without text is told by
// them alone.
func (in *interpreter) counted(usage session.Usage) {
	merge := in.answer
	if merge == "" {
		merge = in.record.Key + "/" + strconv.Itoa(in.count)
	}
	in.add(&session.Answer{Merge: merge, Usage: &usage})
	in.answer = ""
}

// tokens reads a report of tokens. What was sent holds what the cache gave and
// took. Counts from 1,000 on are rounded, except where every digit stands.
func tokens(line string) (session.Usage, bool) {
	rest, ok := strings.CutPrefix(line, "Tokens: ")
	if !ok {
		return session.Usage{}, false
	}
	var sent int64
	var usage session.Usage
	for _, found := range tokenCount.FindAllStringSubmatch(rest, -1) {
		n, exact := number(found[1], found[2])
		usage.Partial = usage.Partial || !exact
		switch found[3] {
		case "sent":
			sent = n
		case "cache write":
			usage.CacheWriteTokens = n
		case "cache hit", "cache read":
			usage.CacheReadTokens = n
		case "received":
			usage.OutputTokens = n
		}
	}
	usage.InputTokens = max(sent-usage.CacheReadTokens-usage.CacheWriteTokens, 0)
	if found := costLine.FindStringSubmatch(rest); found != nil {
		if n, err := strconv.ParseFloat(digits(found[1]), 64); err == nil && n < maxCost {
			usage.Cost = session.Dollars(n)
		}
	}
	return usage, usage.Total() > 0
}

const (
	maxCost   = 1e6  // dollars: more than any call takes
	maxTokens = 1e12 // as well
)

// number is a count as aider writes it: "1,234", "5.2k", "1.2M".
func number(text, unit string) (n int64, exact bool) {
	value, err := strconv.ParseFloat(digits(text), 64)
	if err != nil {
		return 0, false
	}
	switch strings.ToLower(unit) {
	case "k":
		value *= 1e3
	case "m":
		value *= 1e6
	}
	if value > maxTokens {
		return 0, false
	}
	return int64(math.Round(value)), unit == ""
}

// digits is a number without the commas between its thousands, and without a
// full stop behind it.
func digits(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, ",", ""), ".")
}

package chat

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// maxEncodings bounds how often JSON may stand in a string of JSON.
const maxEncodings = 4

// decoded is a value that may stand as JSON in a string, also in one that is in a
// string itself; false where the string is text. A string in a string is decoded
// too: some exports encode everything once more.
func decoded(value gjson.Result) (gjson.Result, bool) {
	found := false
	for range maxEncodings {
		if value.Type != gjson.String {
			return value, true
		}
		text := strings.TrimSpace(value.Str)
		if text == "" || !strings.ContainsRune(`{["`, rune(text[0])) || isDeep(text) || !gjson.Valid(text) {
			return value, found
		}
		value, found = gjson.Parse(text), true
	}
	return value, found
}

// maxDepth is how deeply a file may be nested, and so JSON in one of its strings.
const maxDepth = 512

// isDeep reports whether JSON is nested so deeply that parsers must not recurse
// over it.
func isDeep(text string) bool {
	if strings.Count(text, "[")+strings.Count(text, "{") <= maxDepth {
		return false
	}
	depth, inString, escaped := 0, false, false
	for _, c := range []byte(text) {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// Decoded is a value that may stand as JSON in a string, also doubly encoded.
func Decoded(value gjson.Result) gjson.Result {
	value, _ = decoded(value)
	return value
}

// raw is a JSON value without the white space that an export puts between; nil
// where there is none.
func raw(value gjson.Result) json.RawMessage {
	var compact bytes.Buffer
	if value.Raw == "" || json.Compact(&compact, []byte(value.Raw)) != nil {
		return nil
	}
	return compact.Bytes()
}

// Arguments are those of a call: JSON, often in a string. Text that is no JSON
// becomes a JSON string, so that nothing is lost.
func Arguments(value gjson.Result) json.RawMessage {
	if value.Type == gjson.String && strings.TrimSpace(value.Str) == "" {
		return nil
	}
	if inner, ok := decoded(value); ok {
		value = inner
	}
	if value.Type == gjson.Null {
		return nil
	}
	return raw(value)
}

// canonical is JSON in one form, for comparing.
func canonical(value json.RawMessage) string {
	var any any
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&any) != nil {
		return string(value)
	}
	text, err := json.Marshal(any)
	if err != nil {
		return string(value)
	}
	return string(text)
}

// identifier is a text that names something. Some write lists there.
func identifier(value gjson.Result) string {
	if value.Type == gjson.JSON {
		return session.Clean(string(raw(value)))
	}
	return session.Clean(value.String())
}

// first is the first of the named fields that is there and not null.
func first(value gjson.Result, names ...string) gjson.Result {
	for _, name := range names {
		if field := value.Get(name); field.Exists() && field.Type != gjson.Null {
			return field
		}
	}
	return gjson.Result{}
}

// word is the text of the first of the named fields that has one.
func word(value gjson.Result, names ...string) string {
	for _, name := range names {
		if field := value.Get(name); field.Exists() && field.Type != gjson.Null {
			if text := identifier(field); text != "" {
				return text
			}
		}
	}
	return ""
}

package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/chat"
)

// attributes are those of a list of keys and AnyValues, or of a plain object;
// only are the keys wanted, nil: all.
func attributes(list gjson.Result, only func(string) bool) chat.Attributes {
	all := chat.Attributes{}
	list.ForEach(func(name, value gjson.Result) bool {
		key := name.Str
		if list.IsArray() {
			key = value.Get("key").Str
		}
		if only != nil && !only(key) {
			return true
		}
		if list.IsArray() {
			value = gjson.ParseBytes(plain(value.Get("value")))
		}
		all[key] = value
		return true
	})
	return all
}

// plain is an AnyValue as plain JSON. Values that are nested too deeply were
// refused by the reader of the file.
func plain(value gjson.Result) []byte {
	if !value.IsObject() {
		return orNull(value.Raw)
	}
	out := []byte("null")
	value.ForEach(func(kind, v gjson.Result) bool {
		switch kind.Str {
		case "stringValue", "boolValue", "bytesValue":
			out = orNull(v.Raw)
		case "intValue", "doubleValue":
			out = number(v)
		case "arrayValue":
			out = plainList(v.Get("values"))
		case "kvlistValue":
			out = plainObject(v.Get("values"))
		default:
			return true
		}
		return false
	})
	return out
}

func orNull(text string) []byte {
	if text == "" {
		return []byte("null")
	}
	return []byte(text)
}

// number is a number that may stand in a string, as 64-bit integers do. What JSON
// has no number for ("NaN") stays text.
func number(value gjson.Result) []byte {
	if value.Type == gjson.String && json.Valid([]byte(value.Str)) && gjson.Parse(value.Str).Type == gjson.Number {
		return []byte(value.Str)
	}
	return orNull(value.Raw)
}

func plainList(values gjson.Result) []byte {
	out := []byte{'['}
	values.ForEach(func(_, v gjson.Result) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, plain(v)...)
		return true
	})
	return append(out, ']')
}

func plainObject(values gjson.Result) []byte {
	out := []byte{'{'}
	values.ForEach(func(_, v gjson.Result) bool {
		key := v.Get("key")
		if key.Type != gjson.String {
			return true
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, key.Raw...), ':')
		out = append(out, plain(v.Get("value"))...)
		return true
	})
	return append(out, '}')
}

// identifier is a trace's or span's identifier in lower-case hex. OTLP wants hex
// in any case; exporters that use protobuf's JSON write base64. What is neither
// is taken as it stands; zeros and nothing are none.
func identifier(value gjson.Result, size int) string {
	text := strings.TrimSpace(value.String())
	if len(text) == 2*size {
		if id, err := hex.DecodeString(text); err == nil {
			return nonzero(id)
		}
	}
	if len(text) == base64.StdEncoding.EncodedLen(size) {
		if id, err := base64.StdEncoding.DecodeString(text); err == nil && len(id) == size {
			return nonzero(id)
		}
	}
	return session.Clip(session.Clean(strings.ToLower(text)), maxIdentifier)
}

const (
	traceSize     = 16
	spanSize      = 8
	maxIdentifier = 256
)

func nonzero(id []byte) string {
	for _, b := range id {
		if b != 0 {
			return hex.EncodeToString(id)
		}
	}
	return ""
}

// nanoseconds is a time: a count, as number or text, or JavaScript's pair of
// seconds and nanoseconds.
func nanoseconds(value gjson.Result) int64 {
	if value.IsArray() {
		return positive(value.Get("0").Int())*1e9 + positive(value.Get("1").Int())
	}
	if n := value.Int(); n > 0 {
		return n
	}
	return 0
}

// positive is a part of a time, if it can be one.
func positive(n int64) int64 {
	if n < 0 || n > 9e9 {
		return 0
	}
	return n
}

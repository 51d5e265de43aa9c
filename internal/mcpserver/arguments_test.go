package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
)

var everyKind = []param{
	{name: "file", kind: text, required: true},
	{name: "start_time", kind: moment},
	{name: "limit", kind: integer, min: 1, max: 100},
	{name: "timeout_s", kind: number, min: 0.1},
	{name: "message_columns", kind: boolean},
	{name: "topics", kind: texts},
	{name: "blobs", kind: text, enum: []string{"load", "omit"}},
}

func TestReadArguments(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     arguments
	}{
		{"plain", `{"file":"a","limit":42,"timeout_s":1.5,"message_columns":true,"topics":["/a","/b"],"blobs":"omit"}`,
			arguments{"file": "a", "limit": 42, "timeout_s": 1.5, "message_columns": true, "topics": []string{"/a", "/b"}, "blobs": "omit"}},
		{"numbers and booleans as text", `{"file":"a","limit":" 42 ","timeout_s":"1.5","message_columns":"false"}`,
			arguments{"file": "a", "limit": 42, "timeout_s": 1.5, "message_columns": false}},
		{"whole float", `{"file":"a","limit":42.0}`, arguments{"file": "a", "limit": 42}},
		{"left out in other words", `{"file":"a","limit":null,"start_time":"","topics":null}`, arguments{"file": "a"}},
		{"time as text", `{"file":"a","start_time":"2024-01-01"}`, arguments{"file": "a", "start_time": "2024-01-01"}},
		{"time as number", `{"file":"a","start_time":1704067200000001}`, arguments{"file": "a", "start_time": "1704067200000001"}},
		{"time beyond exact floats", `{"file":"a","start_time":9007199254740993}`, arguments{"file": "a", "start_time": "9007199254740993"}},
		{"time with an exponent", `{"file":"a","start_time":1.7e15}`, arguments{"file": "a", "start_time": "1700000000000000"}},
		{"one topic", `{"file":"a","topics":"/a"}`, arguments{"file": "a", "topics": []string{"/a"}}},
		{"topics as the text of a list", `{"file":"a","topics":"[\"/a\",\"/b\"]"}`, arguments{"file": "a", "topics": []string{"/a", "/b"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := readArguments("tool", everyKind, json.RawMessage(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadArgumentsRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		says     string
		nearest  []string
	}{
		{"no object", `[1]`, "arguments are [1], not an object", nil},
		{"missing", `{}`, "file is missing", nil},
		{"blank", `{"file":""}`, "file is missing", nil},
		{"null", `{"file":null}`, "file is missing", nil},
		{"nothing", ``, "file is missing", nil},
		{"wrong type", `{"file":7}`, "file is 7; it takes a string", nil},
		{"no number", `{"file":"a","limit":"many"}`, `limit is "many"; it takes a number`, nil},
		{"not whole", `{"file":"a","limit":1.5}`, "limit is 1.5; it takes whole numbers", nil},
		{"too small", `{"file":"a","limit":0}`, "limit is 0; it takes 1 to 100", nil},
		{"negative", `{"file":"a","limit":-5}`, "limit is -5; it takes 1 to 100", nil},
		{"too large", `{"file":"a","limit":101}`, "limit is 101; it takes 1 to 100", nil},
		{"huge", `{"file":"a","limit":1e300}`, "limit is 1e300; it takes 1 to 100", nil},
		{"infinite", `{"file":"a","timeout_s":"inf"}`, `timeout_s is "inf"; it takes a number`, nil},
		{"no boolean", `{"file":"a","message_columns":1}`, "message_columns is 1; it takes true or false", nil},
		{"no list", `{"file":"a","topics":{"a":1}}`, `topics is {"a":1}; it takes a list of strings`, nil},
		{"list of others", `{"file":"a","topics":[1]}`, "topics is [1]; it takes a list of strings", nil},
		{"no such word", `{"file":"a","blobs":"all"}`, `blobs is "all"; it takes load or omit`, nil},
		{"time of no kind", `{"file":"a","start_time":[]}`, "start_time is []; it takes a string", nil},
		{"slip", `{"file":"a","limits":5}`, `there is no parameter "limits"`, []string{"limit"}},
		{"part", `{"file":"a","start":"2024"}`, `there is no parameter "start"`, []string{"start_time"}},
		{"case", `{"File":"a"}`, `there is no parameter "File"`, []string{"file"}},
		{"far", `{"file":"a","xyzzy":5}`, `there is no parameter "xyzzy"`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := readArguments("tool", everyKind, json.RawMessage(tc.in))
			e, ok := err.(*deck.Error)
			if !ok {
				t.Fatalf("error %v, want a deck.Error", err)
			}
			if e.Code != deck.CodeBadArgument || e.Message != tc.says {
				t.Errorf("got %s: %s\nwant %s: %s", e.Code, e.Message, deck.CodeBadArgument, tc.says)
			}
			if !strings.Contains(e.Hint, "file (required), start_time") {
				t.Errorf("hint %q does not say what the tool takes", e.Hint)
			}
			if diff := cmp.Diff(tc.nearest, e.Nearest); diff != "" {
				t.Errorf("nearest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsDoNotEchoWholeArguments(t *testing.T) {
	_, err := readArguments("tool", everyKind, json.RawMessage(`{"file":"a","limit":"`+strings.Repeat("9é", 5000)+`"}`))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error of %d bytes, want a short one", len(err.Error()))
	}
}

func FuzzReadArguments(f *testing.F) {
	for _, seed := range []string{
		`{"file":"a","limit":42,"topics":["/a"],"start_time":1.7e15}`, `{"file":"a","limit":"1e999"}`,
		`{"file":null}`, `[]`, `{"file":"\ud800"}`, `{"topics":"[\"a\"]","file":"b"}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := readArguments("tool", everyKind, raw)
		if err != nil {
			if e, ok := err.(*deck.Error); !ok || e.Code != deck.CodeBadArgument || len(e.Message) > 400 {
				t.Fatalf("error %#v, want a short bad_argument", err)
			}
			return
		}
		if args.text("file") == "" {
			t.Fatal("accepted without its required parameter")
		}
		if limit, given := args["limit"]; given && (limit.(int) < 1 || limit.(int) > 100) {
			t.Fatalf("limit %v is out of bounds", limit)
		}
	})
}

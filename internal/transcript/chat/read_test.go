package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

func TestRead(t *testing.T) {
	tests := map[string]struct {
		role  Role
		value string
		want  []string
	}{
		"GenAI conventions": {User, `[{"role":"system","parts":[{"type":"text","content":"be good"}]},{"role":"user","parts":[{"type":"text","content":"hi"}]},` +
			`{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}],"finish_reason":"tool_call"},` +
			`{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"done"}]}]`,
			[]string{"system: be good", "user: hi", `assistant: (hm) | c=f{"a":1} (tool_call)`, "tool: →c done"}},
		"GenAI conventions, blobs": {User, `[{"role":"user","parts":[{"type":"blob","mime_type":"image/png","content":"AAAA"},{"type":"uri","mime_type":"text/plain","uri":"https://x/y"},{"type":"file","file_id":"f1"}]}]`,
			[]string{"user: [image/png 3 ] | [text/plain 0 https://x/y] | [ 0 f1]"}},
		"OpenAI chat": {User, `{"model":"m","messages":[{"role":"developer","content":"be good"},{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"done"}]}`,
			[]string{"system: be good", "user: see | [image/png 3 ]", `assistant: c=f{"a":1}`, "tool: →c done"}},
		"OpenAI completion": {Assistant, `{"id":"x","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"hello","refusal":null,"reasoning_content":"hm"}}]}`,
			[]string{"assistant: (hm) | hello (stop)"}},
		"OpenAI responses, request": {User, `{"model":"m","instructions":"be good","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},` +
			`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"done"}]}`,
			[]string{"system: be good", "user: hi", "assistant: (hm)", "assistant: c=f{}", "tool: →c done"}},
		"OpenAI responses, response": {Assistant, `{"object":"response","instructions":"be good","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}]}`,
			[]string{"assistant: hello"}},
		"OpenAI responses, plain request": {User, `{"input":"hi","model":"m"}`, []string{"user: hi"}},
		"Anthropic": {User, `{"system":[{"type":"text","text":"be good"}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"no"}],"is_error":true},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}`,
			[]string{"system: be good", "user: hi", `assistant: (hm) | c=f{"a":1}`, "user: [image/png 3 ]✗c no"}},
		"content blocks alone": {Assistant, `[{"type":"text","text":"hello"},{"type":"tool_use","id":"c","name":"f","input":{}}]`, []string{"assistant: hello | c=f{}"}},
		"Google, request": {User, `{"config":{"system_instruction":"be good"},"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"done"}}}]}]}`,
			[]string{"system: be good", "user: hi", `assistant: =f{"a":1}`, "user: →f done"}},
		"Google, request with text": {User, `{"model":"m","contents":"hi"}`, []string{"user: hi"}},
		"Google, response": {Assistant, `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"hello"}]},"finishReason":"STOP"}]}`,
			[]string{"assistant: (hm) | hello (STOP)"}},
		"Google, response of the agent kit": {Assistant, `{"content":{"parts":[{"function_call":{"name":"f","args":{}}}],"role":"model"},"finish_reason":"STOP"}`,
			[]string{"assistant: =f{} (STOP)"}},
		"Vercel prompt":   {User, `{"system":"be good","prompt":"hi"}`, []string{"system: be good", "user: hi"}},
		"Vercel messages": {User, `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"a":1}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"text","value":"done"}}]}]`, []string{`assistant: c=f{"a":1}`, "tool: →cf done"}},
		"LangChain": {User, `{"messages":[{"type":"human","content":"hi"},{"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},"tool_calls":[{"id":"c","name":"f","args":{}}]},{"type":"tool","name":"f","tool_call_id":"c","content":"no","status":"error"}]}`,
			[]string{"user: hi", "assistant: c=f{}", "tool: ✗cf no"}},
		"LangChain, serialised":   {User, `[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"hi"}}]]`, []string{"user: hi"}},
		"LangChain, generations":  {Assistant, `{"generations":[[{"text":"hello","message":{"kwargs":{"content":"hello"},"lc":1,"id":["AIMessage"]}}]]}`, []string{"assistant: hello"}},
		"koog":                    {Assistant, `[{"role":"tool","content":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]`, []string{"tool: c=f{}"}},
		"descriptions of tools":   {User, `[{"role":"user","content":"hi"},{"role":"tool","content":{"type":"function","function":{"name":"f","parameters":{}}}}]`, []string{"user: hi", "tool:"}},
		"Ollama":                  {Assistant, `{"model":"m","message":{"role":"assistant","content":"hello"},"done":true}`, []string{"assistant: hello"}},
		"text":                    {Assistant, `"hello"`, []string{"assistant: hello"}},
		"text with a reason":      {Assistant, `{"text":"hello","finish_reason":"stop"}`, []string{"assistant: hello (stop)"}},
		"lines for each speaker":  {User, `"system: be good\nuser: hi\nthere\nassistant: None\ntool: done"`, []string{"system: be good", "user: hi\nthere", "assistant:", "tool: → done"}},
		"a colon in a prompt":     {User, `"a user: hi"`, []string{"user: a user: hi"}},
		"speakers in an answer":   {Assistant, `"user: hi"`, []string{"assistant: user: hi"}},
		"doubly encoded":          {User, `"\"[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"hi\\\"}]\""`, []string{"user: hi"}},
		"doubly encoded text":     {User, `"\"hi\""`, []string{"user: hi"}},
		"a traced function":       {User, `{"args":["hi"],"kwargs":{}}`, []string{"user: hi"}},
		"JSON that is an answer":  {Assistant, `"{\"city\":\"Rome\"}"`, []string{`assistant: {"city":"Rome"}`}},
		"strings":                 {User, `["hi","there"]`, []string{"user: hi", "user: there"}},
		"an unknown part":         {User, `[{"role":"user","content":[{"type":"hologram","x":1}]}]`, []string{`user: data{"type":"hologram","x":1}`}},
		"what Python writes":      {Assistant, `"None"`, nil},
		"blank":                   {User, `"  "`, nil},
		"null":                    {User, `null`, nil},
		"a number":                {User, `7`, nil},
		"an object of its own":    {User, `{"topic":"x"}`, nil},
		"wrong types":             {User, `[{"role":7,"content":8},{"role":"user","content":{"text":9},"tool_calls":"x"}]`, nil},
		"no end of lists":         {User, strings.Repeat("[", 100) + strings.Repeat("]", 100), nil},
		"calls told twice":        {Assistant, `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"id":"c","name":"f","args":{}}]}`, []string{"assistant: c=f{}"}},
		"arguments that are text": {Assistant, `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"not json"}}]}`, []string{`assistant: c=f"not json"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(Read(gjson.Parse(test.value), test.role))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// JSON in a string may be nested as deeply as it likes: it is text then. Objects
// around objects cost no more than a few looks.
func TestReadDeep(t *testing.T) {
	deep := strings.Repeat("[", 20<<20)
	if got := Read(gjson.Parse(`"`+deep+strings.Repeat("]", len(deep))+`"`), User); len(got) != 1 || len(got[0].Parts[0].Text) != 2*len(deep) {
		t.Errorf("%d messages, want the text", len(got))
	}
	around := strings.Repeat(`{"message":`, 500) + `{"role":"user","content":"` + strings.Repeat("x", 1<<20) + `"}` + strings.Repeat("}", 500)
	if got := Read(gjson.Parse(around), User); len(got) != 0 {
		t.Errorf("%d messages, want none", len(got))
	}
	results := strings.Repeat(`[{"type":"tool_result","content":`, 200) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}]", 200)
	if got := Read(gjson.Parse(results), User); len(got) != 1 || len(got[0].Results) != 1 {
		t.Errorf("%d messages, want one with a result", len(got))
	}
	if within := `{"message":{"message":{"role":"assistant","content":"hi"}},"finish_reason":"stop"}`; told(Read(gjson.Parse(within), User))[0] != "assistant: hi (stop)" {
		t.Errorf("%q, want the message and why it stopped", told(Read(gjson.Parse(within), User)))
	}
}

func TestGiven(t *testing.T) {
	tests := map[string]struct{ value, want string }{
		"text":          {`"done"`, "done"},
		"encoded text":  {`"\"do\\nne\""`, "do\nne"},
		"JSON as text":  {`"{\"a\": 1}"`, `{"a": 1}`},
		"parts":         {`[{"type":"text","text":"done"}]`, "done"},
		"encoded parts": {`"[{\"type\":\"text\",\"text\":\"done\"}]"`, "done"},
		"one field":     {`{"output":"done"}`, "done"},
		"structured":    {`{"rows": [1]}`, `data{"rows":[1]}`},
		"a number":      {`7`, "7"},
		"null":          {`null`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := shown(Given(gjson.Parse(test.value))); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// FuzzRead reads anything that is JSON: nothing may panic.
func FuzzRead(f *testing.F) {
	f.Add(`[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`)
	f.Add(`{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}"}}]}}]}`)
	f.Add(`"user: hi\nassistant: None"`)
	f.Add(`{"lc":1,"kwargs":{"content":[{"type":"image_url","image_url":"data:,x"}]},"id":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !gjson.Valid(text) || strings.Count(text, "[")+strings.Count(text, "{") > 512 {
			return
		}
		value := gjson.Parse(text)
		for _, m := range append(Read(value, User), Datas(value, Assistant)...) {
			if m.Role == "" {
				t.Errorf("a message of nobody: %+v", m)
			}
			_ = m.identity()
		}
		Attributes{"gen_ai.prompt.0.content": value, "output.value": value, "llm.input_messages.0.message": value}.
			Describe(&Step{Name: "x"}, []Event{{Name: "gen_ai.choice", Body: value}}, Book{})
	})
}

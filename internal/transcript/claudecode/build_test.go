package claudecode

import (
	"fmt"
	"strings"
)

const (
	testSession = "00000000-0000-4000-8000-000000000001"
	testTime    = "2026-01-02T03:04:05.000Z"
)

// lineOf is a line with an envelope and more fields.
func lineOf(uuid, parent, kind string, fields ...string) string {
	parentField := `"parentUuid":null`
	if parent != "" {
		parentField = fmt.Sprintf(`"parentUuid":%q`, parent)
	}
	all := append([]string{
		parentField, `"isSidechain":false`, `"userType":"external"`, `"cwd":"/work/app"`,
		fmt.Sprintf(`"sessionId":%q`, testSession), `"version":"2.1.40"`, `"gitBranch":"main"`,
		fmt.Sprintf(`"type":%q`, kind), fmt.Sprintf(`"uuid":%q`, uuid), fmt.Sprintf(`"timestamp":%q`, testTime),
	}, fields...)
	return "{" + strings.Join(all, ",") + "}\n"
}

// turn is a small turn: a prompt, a call in two lines, a result, an answer.
func turn(n int) string {
	id := func(k int) string { return fmt.Sprintf("%08d-0000-4000-8000-00000000000%d", n, k) }
	usage := `"usage":{"input_tokens":4,"cache_creation_input_tokens":812,"cache_read_input_tokens":20331,"cache_creation":{"ephemeral_5m_input_tokens":812,"ephemeral_1h_input_tokens":0},"output_tokens":97,"service_tier":"standard"}`
	result := strings.Repeat(`    12→\tfunc main() { fmt.Println(\"hello, world\") }\n`, 60)
	return lineOf(id(1), "", "user", `"message":{"role":"user","content":"please look at the file and say what is in it"}`) +
		lineOf(id(2), id(1), "assistant", `"requestId":"req_`+id(2)+`"`, `"message":{"model":"claude-sonnet-4-5","id":"msg_`+id(2)+`","type":"message","role":"assistant","content":[{"type":"text","text":"I will read it."}],"stop_reason":null,`+usage+`}`) +
		lineOf(id(3), id(2), "assistant", `"requestId":"req_`+id(2)+`"`, `"message":{"model":"claude-sonnet-4-5","id":"msg_`+id(2)+`","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_`+id(3)+`","name":"Read","input":{"file_path":"/work/app/main.go"}}],"stop_reason":"tool_use",`+usage+`}`) +
		lineOf(id(4), id(3), "user", `"message":{"role":"user","content":[{"tool_use_id":"toolu_`+id(3)+`","type":"tool_result","content":"`+result+`"}]}`, `"toolUseResult":{"type":"text","file":{"filePath":"/work/app/main.go","content":"`+result+`","numLines":60}}`) +
		lineOf(id(5), id(4), "assistant", `"requestId":"req_`+id(5)+`"`, `"message":{"model":"claude-sonnet-4-5","id":"msg_`+id(5)+`","type":"message","role":"assistant","content":[{"type":"text","text":"It prints a greeting."}],"stop_reason":"end_turn",`+usage+`}`)
}

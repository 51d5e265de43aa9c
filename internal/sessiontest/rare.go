package sessiontest

import (
	"encoding/json"
	"path/filepath"
)

// SharedID is the identifier that two harnesses gave a session each; see
// WriteRare.
const SharedID = "0197a5b0-0000-7000-8000-0123456789ab"

// WriteRare writes logs with what few logs have: halves of surrogate pairs, a
// session without any time, one that ends in a call, and one identifier in two
// harnesses. It returns the paths.
func WriteRare(dir string) ([]string, error) {
	claude := func(name string, lines ...line) (string, []line) {
		return filepath.Join(dir, "projects", "-srv-rare", name+".jsonl"), lines
	}
	var paths []string
	write := func(path string, lines []line) error {
		paths = append(paths, path)
		return writeLines(path, lines)
	}
	prompt := func(id, uuid, at string, text any) line {
		l := line{"type": "user", "uuid": uuid, "parentUuid": nil, "sessionId": id, "cwd": "/srv/rare", "message": line{"role": "user", "content": text}}
		if at != "" {
			l["timestamp"] = at
		}
		return l
	}
	call := line{
		"type": "assistant", "uuid": "c2", "parentUuid": "c1", "sessionId": "rare-pending", "timestamp": "2026-02-01T10:00:05.000Z", "cwd": "/srv/rare",
		"message": line{"id": "msg_pending", "role": "assistant", "model": models[0], "usage": line{"input_tokens": 5, "output_tokens": 7},
			"content": []any{line{"type": "tool_use", "id": "toolu_pending", "name": "Bash", "input": json.RawMessage(`{"command":"sleep \udfff 9"}`)}}},
	}
	for _, err := range []error{
		write(claude("rare-surrogate", prompt("rare-surrogate", "a1", "2026-02-01T09:00:00.000Z", json.RawMessage(`"half \ud83e of a pair, \u0000 and \u2028"`)))),
		write(claude("rare-timeless", prompt("rare-timeless", "b1", "", "when was this?"), prompt("rare-timeless", "b2", "", "and this?"))),
		write(claude("rare-pending", prompt("rare-pending", "c1", "2026-02-01T10:00:00.000Z", "start it"), call)),
		write(claude(SharedID, prompt(SharedID, "d1", "2026-02-02T10:00:00.000Z", "in Claude Code"))),
		write(filepath.Join(dir, "sessions", "2026", "02", "02", "rollout-2026-02-02T11-00-00-"+SharedID+".jsonl"), codex(SharedID)),
	} {
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// codex is a session of Codex: a prompt and its answer.
func codex(id string) []line {
	at := func(second, kind string, payload line) line {
		return line{"timestamp": "2026-02-02T11:00:" + second + ".000Z", "type": kind, "payload": payload}
	}
	usage := line{"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9, "reasoning_output_tokens": 2, "total_tokens": 109}
	said := func(role, kind, text string) line {
		return line{"type": "message", "role": role, "content": []any{line{"type": kind, "text": text}}}
	}
	return []line{
		at("00", "session_meta", line{"id": id, "timestamp": "2026-02-02T11:00:00.000Z", "cwd": "/srv/rare", "originator": "codex_cli_rs", "cli_version": "0.58.0", "source": "cli"}),
		at("01", "response_item", said("user", "input_text", "in Codex")),
		at("01", "event_msg", line{"type": "user_message", "message": "in Codex"}),
		at("02", "turn_context", line{"cwd": "/srv/rare", "model": "gpt-5.1-codex"}),
		at("03", "response_item", said("assistant", "output_text", "yes")),
		at("03", "event_msg", line{"type": "agent_message", "message": "yes"}),
		at("04", "event_msg", line{"type": "token_count", "info": line{"total_token_usage": usage, "last_token_usage": usage}}),
	}
}

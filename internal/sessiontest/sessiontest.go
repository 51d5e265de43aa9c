// Package sessiontest makes up logs of AI agents for tests and benchmarks, as
// large as they are wanted: sessions of Claude Code with tools, errors,
// sub-agents and forks, and beside them what real logs hold more rarely, such as
// texts that databases refuse and identifiers that two harnesses share.
//
// The same numbers give the same files. What is said in them is noise; package
// sample has sessions that read like real ones.
package sessiontest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Logs say how much to make up.
type Logs struct {
	Seed     uint64 // another one gives other identifiers
	Sessions int
	Turns    int // of each session
	Prompt   int // bytes of each prompt, beside the words that it begins with
	Result   int // bytes of each tool's result
}

// Write writes the logs below dir, as Claude Code lays them out: a sub-agent's
// file beside each third session; each fourth goes on from a copy of the one
// before. It returns the paths.
func (l Logs) Write(dir string) ([]string, error) {
	var paths []string
	var earlier []line
	for n := range l.Sessions {
		s := l.session(n)
		if n%4 == 3 {
			s.replay(earlier)
		}
		for turn := range l.Turns {
			s.turn(fmt.Sprintf("%s: do step %d of plan %d", openings[n%len(openings)], turn, n))
		}
		earlier = s.lines
		folder := filepath.Join(dir, "projects", fmt.Sprintf("-work-project-%d", n%projects))
		path := filepath.Join(folder, s.id+".jsonl")
		if err := writeLines(path, s.lines); err != nil {
			return nil, err
		}
		paths = append(paths, path)
		if n%3 != 2 {
			continue
		}
		path = filepath.Join(folder, s.id, "subagents", "agent-"+s.agentID()+".jsonl")
		if err := writeLines(path, s.subagent()); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// projects is how many projects the sessions are spread over.
const projects = 7

// openings begin prompts, and so titles: in letters that fold, sort and escape
// in their own ways.
var openings = []string{
	"Fix the flaky upload test", "Übersicht der Läufe", `Say "done" \ <b>now</b>`, "修复上传测试", "100% of a_b", "İstanbul STRASSE ß", "a\x00b", "🤖 loop",
}

// models take turns; the last has no price.
var models = []string{"claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "made-up-1"}

type line = map[string]any

// A session is one that is being made up.
type session struct {
	logs   Logs
	n      int
	random *rand.Rand
	id     string
	now    time.Time
	parent any // uuid of the line before
	lines  []line
}

func (l Logs) session(n int) *session {
	random := rand.New(rand.NewPCG(uint64(n), l.Seed))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n%90) * 24 * time.Hour).Add(time.Duration(n) * time.Minute)
	return &session{logs: l, n: n, random: random, id: randomUUID(random), now: start}
}

func randomUUID(random *rand.Rand) string {
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

func (s *session) agentID() string { return s.id[:8] }

// replay begins with the lines of another session, as a fork does.
func (s *session) replay(lines []line) {
	for _, l := range lines {
		copied := line{}
		for k, v := range l {
			copied[k] = v
		}
		copied["sessionId"] = s.id
		s.lines = append(s.lines, copied)
		s.parent = copied["uuid"]
	}
	s.now = s.now.Add(200 * 24 * time.Hour)
}

// turn is a prompt, a model's call of a tool, what that gave, and the answer.
func (s *session) turn(prompt string) {
	s.line("user", line{"message": line{"role": "user", "content": prompt + s.text(s.logs.Prompt)}})
	message, call := fmt.Sprintf("msg_%x", s.random.Uint64()), fmt.Sprintf("toolu_%x", s.random.Uint64())
	s.answer(message, line{"type": "text", "text": "I will look." + s.text(100)}, 10)
	s.answer(message, line{"type": "tool_use", "id": call, "name": "Bash", "input": line{"command": "cat " + message, "timeout": s.n}}, 40)
	result := line{"type": "tool_result", "tool_use_id": call, "content": s.text(s.logs.Result), "is_error": s.random.IntN(5) == 4}
	s.line("user", line{
		"message":       line{"role": "user", "content": []any{result}},
		"toolUseResult": line{"stdout": "x", "interrupted": false},
	})
	s.answer(fmt.Sprintf("msg_%x", s.random.Uint64()), line{"type": "text", "text": "Done." + s.text(200)}, 60)
}

func (s *session) answer(message string, block line, output int) {
	s.line("assistant", line{"requestId": "req_" + message, "message": line{
		"id": message, "type": "message", "role": "assistant", "model": models[s.n%len(models)], "stop_reason": "end_turn",
		"content": []any{block},
		"usage":   line{"input_tokens": 3, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50, "output_tokens": output},
	}})
}

func (s *session) line(kind string, more line) {
	s.now = s.now.Add(time.Duration(1000+s.random.IntN(9000)) * time.Millisecond)
	l := line{
		"type": kind, "uuid": randomUUID(s.random), "parentUuid": s.parent, "sessionId": s.id, "cwd": fmt.Sprintf("/srv/Project-%d", s.n%projects),
		"gitBranch": "main", "version": "2.1.40", "isSidechain": false, "userType": "external", "timestamp": s.now.Format("2006-01-02T15:04:05.000Z"),
	}
	for k, v := range more {
		l[k] = v
	}
	s.parent = l["uuid"]
	s.lines = append(s.lines, l)
}

// text is lines of noise, at least so many bytes.
func (s *session) text(bytes int) string {
	var text []byte
	for len(text) < bytes {
		text = fmt.Appendf(text, "\n%x line %d of the file", s.random.Uint64(), len(text))
	}
	return string(text)
}

// subagent is the file of a sub-agent that the session started.
func (s *session) subagent() []line {
	own := *s
	own.lines, own.parent = nil, nil
	own.turn("Look through the files")
	for _, l := range own.lines {
		l["isSidechain"], l["agentId"] = true, s.agentID()
	}
	return own.lines
}

func writeLines(path string, lines []line) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	encoder := json.NewEncoder(out)
	for _, l := range lines {
		if err := encoder.Encode(l); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

package archive

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// claudeLogs are made-up logs of Claude Code: sessions with tools, a sub-agent
// each third, a fork of an earlier session each fourth.
type claudeLogs struct {
	sessions int
	turns    int // of each
	filler   int // bytes of text in a tool's result
}

// write writes the logs below dir, as Claude Code lays them out, and returns the
// files.
func (l claudeLogs) write(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	var earlier []map[string]any
	for n := range l.sessions {
		s := newClaudeSession(n, l.filler)
		if n%4 == 3 {
			s.replay(earlier)
		}
		for turn := range l.turns {
			s.turn(turn)
		}
		project := filepath.Join(dir, fmt.Sprintf("-work-project%d", n%3))
		files = append(files, writeLines(t, filepath.Join(project, s.id+".jsonl"), s.lines))
		if n%3 == 2 {
			files = append(files, writeLines(t, filepath.Join(project, s.id, "subagents", "agent-"+s.agentID+".jsonl"), s.agent()))
		}
		if n%4 == 1 {
			earlier = s.lines
		}
	}
	return files
}

func writeLines(t testing.TB, path string, lines []map[string]any) string {
	t.Helper()
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

type claudeSession struct {
	random  *rand.Rand
	id      string
	agentID string
	cwd     string
	now     time.Time
	parent  any // uuid of the line before
	filler  int
	lines   []map[string]any
}

func newClaudeSession(n, filler int) *claudeSession {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	return &claudeSession{
		random: random, id: randomUUID(random), agentID: fmt.Sprintf("%08x", random.Uint32()), filler: filler,
		cwd: fmt.Sprintf("/work/project%d", n%3), now: time.Date(2026, 1, 1+n%28, n%24, 0, 0, 0, time.UTC),
	}
}

func randomUUID(random *rand.Rand) string {
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// replay begins with the lines of another session, as a fork does.
func (s *claudeSession) replay(lines []map[string]any) {
	for _, line := range lines {
		copied := map[string]any{}
		for k, v := range line {
			copied[k] = v
		}
		copied["sessionId"] = s.id
		s.lines = append(s.lines, copied)
		s.parent = copied["uuid"]
	}
	s.now = s.now.Add(1000 * time.Hour)
}

func (s *claudeSession) line(kind string, more map[string]any) map[string]any {
	s.now = s.now.Add(time.Duration(1000+s.random.IntN(9000)) * time.Millisecond)
	line := map[string]any{
		"type": kind, "uuid": randomUUID(s.random), "parentUuid": s.parent, "sessionId": s.id, "cwd": s.cwd, "gitBranch": "main",
		"version": "2.1.40", "isSidechain": false, "userType": "external", "timestamp": s.now.Format("2006-01-02T15:04:05.000Z"),
	}
	for k, v := range more {
		line[k] = v
	}
	s.parent = line["uuid"]
	s.lines = append(s.lines, line)
	return line
}

func (s *claudeSession) text(bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		fmt.Fprintf(&b, "%x line %d of the file\n", s.random.Uint64(), b.Len())
	}
	return b.String()
}

// turn is a prompt, two model calls with a tool between them, and an answer.
func (s *claudeSession) turn(n int) {
	s.line("user", map[string]any{"message": map[string]any{"role": "user", "content": fmt.Sprintf("Please do step %d of the plan", n)}})
	message, call := fmt.Sprintf("msg_%x", s.random.Uint64()), fmt.Sprintf("toolu_%x", s.random.Uint64())
	s.answer(message, map[string]any{"type": "text", "text": "I will look. " + s.text(100)}, 10)
	s.answer(message, map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": fmt.Sprint("cat file", n)}}, 40)
	s.line("user", map[string]any{
		"message": map[string]any{"role": "user", "content": []any{map[string]any{
			"type": "tool_result", "tool_use_id": call, "content": s.text(s.filler), "is_error": n%5 == 4,
		}}},
		"toolUseResult": map[string]any{"stdout": "x", "interrupted": false},
	})
	s.answer(fmt.Sprintf("msg_%x", s.random.Uint64()), map[string]any{"type": "text", "text": "Done. " + s.text(200)}, 60)
}

func (s *claudeSession) answer(message string, block map[string]any, output int) {
	s.line("assistant", map[string]any{"requestId": "req_" + message, "message": map[string]any{
		"id": message, "type": "message", "role": "assistant", "model": "claude-opus-4-5-20251101", "stop_reason": "end_turn",
		"content": []any{block},
		"usage":   map[string]any{"input_tokens": 3, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50, "output_tokens": output},
	}})
}

// agent is the file of a sub-agent that the session's last turn started.
func (s *claudeSession) agent() []map[string]any {
	own := *s
	own.lines, own.parent = nil, nil
	own.turn(0)
	for _, line := range own.lines {
		line["isSidechain"], line["agentId"] = true, s.agentID
	}
	return own.lines
}

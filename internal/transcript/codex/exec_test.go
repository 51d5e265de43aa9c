package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

var execRun = []string{
	`{"type":"thread.started","thread_id":"own"}`,
	`{"type":"turn.started"}`,
	`{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","status":"in_progress"}}`,
	`{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"no","exit_code":1,"status":"failed"}}`,
	`{"type":"item.completed","item":{"id":"item_1","type":"mcp_tool_call","server":"s","tool":"t","result":{"content":[{"type":"text","text":"r"}]},"status":"completed"}}`,
	`{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"done"}}`,
	`{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":1}}`,
	`{"type":"turn.started"}`,
	`{"type":"item.completed","item":{"id":"item_3","type":"reasoning","text":"hm"}}`,
	`{"type":"error","message":"reconnecting"}`,
	`{"type":"turn.failed","error":{"message":"gone"}}`,
}

func TestExec(t *testing.T) {
	s := read(t, write(t, "out.jsonl", execRun...))
	if s.ref.Key != "own" || len(s.unknown) > 0 {
		t.Fatalf("stream %v, unknown %v, want own and none", s.ref, s.unknown)
	}
	got := events(t, s.records, nil)
	lines := withoutKeys(script(got))
	want := []string{
		`answer: KEY1=command_execution {"command":"ls"}`, "result KEY1 error: no no",
		`answer: KEY2=mcp_tool_call {"server":"s","tool":"t"}`, "result KEY2 ok: r",
		"answer: done", "answer: (hm)", "note error: reconnecting", "note error: gone",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	used := usageOf(got)
	if used.Total() != 11 || !used.Partial {
		t.Errorf("used %+v, want 11 tokens, partial", used)
	}
}

// TestExecBesideRollout: what was printed is left out where the rollout is there.
func TestExecBesideRollout(t *testing.T) {
	printed := read(t, write(t, "out.jsonl", execRun...))
	kept := read(t, write(t, "r.jsonl", meta("own", ""), userEvent("a"), message("assistant", "b")))
	if printed.ref != kept.ref {
		t.Fatalf("streams %v and %v, want one", printed.ref, kept.ref)
	}
	last := kept.records[len(kept.records)-1]
	if first := printed.records[0]; !last.Place().Before(first.Place()) {
		t.Errorf("%v is not before %v", last.Place(), first.Place())
	}
	got := script(events(t, append(kept.records, printed.records...), nil))
	if diff := cmp.Diff([]string{"typed: a", "answer: b"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

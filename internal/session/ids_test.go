package session

import (
	"regexp"
	"testing"
)

func TestIdentifiersNeverChange(t *testing.T) {
	// Stores hold these: another value here would be another session.
	id := Ref{"claude-code", "0b6a"}.SessionID()
	for name, test := range map[string]struct{ got, want string }{
		"session": {id, "6c639a28-7e12-5e8b-83f2-42cfcafe4854"},
		"trace":   {TraceID(id, "k"), "trc_5a0636b7-1f4e-5cce-a4ff-308761f03b92"},
		"llm":     {LLMID(id, "k"), "llm_b8e5c495-17d2-5bfd-a4d3-fd72fc36f895"},
		"tool":    {ToolID(id, "k"), "tool_bb8dc126-6683-5527-88e3-d9f72b9a6b3a"},
		"agent":   {AgentID(id, "k"), "agent_2746a4f1-9830-505b-8918-e256d07f44dd"},
		"event":   {EventID(id, "k"), "evt_2289d1fe-3432-5554-83ea-1cf51442a17c"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", name, test.got, test.want)
		}
	}
}

func TestIdentifiersTellApart(t *testing.T) {
	shape := regexp.MustCompile(`^((trc|llm|tool|agent|evt)_)?[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	a, b := Ref{"h", "ab"}, Ref{"ha", "b"}
	for _, id := range []string{
		a.SessionID(), b.SessionID(), a.Sub("x").SessionID(), b.Sub("x").SessionID(),
		TraceID("s", "k"), LLMID("s", "k"), ToolID("s", "k"), AgentID("s", "k"), EventID("s", "k"),
		TraceID("s", "l"), TraceID("t", "k"),
	} {
		if !shape.MatchString(id) {
			t.Errorf("%q has not the shape of an identifier", id)
		}
		if seen[id] {
			t.Errorf("%q twice", id)
		}
		seen[id] = true
	}
}

func TestRef(t *testing.T) {
	r := Ref{"codex", "1"}
	if got := r.Sub("2").String(); got != "codex:1/2" {
		t.Errorf("%q", got)
	}
}

func TestPlaces(t *testing.T) {
	order := []Place{{}, {Order: 1}, {Order: 1, Key: "a"}, {Order: 1, Key: "b"}, {Order: 1, Pos: 1}, {Order: 2, Pos: -1}}
	for i, p := range order {
		for j, o := range order {
			if got := p.Before(o); got != (i < j) {
				t.Errorf("%+v before %+v: %t", p, o, got)
			}
		}
	}
}

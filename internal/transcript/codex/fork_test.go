package codex

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

// A conversation, and what its forks hold after the copy.
var (
	history = []string{
		rollout(turnContext, `{"model":"m"}`), userEvent("one"), message("user", "one"), message("assistant", "1"),
		counted([3]int{100, 0, 10}, [3]int{100, 0, 10}),
		userEvent("two"), message("user", "two"), call("c", "shell", `"{}"`), output("c", `"x"`),
		counted([3]int{300, 0, 30}, [3]int{200, 0, 20}),
	}
	own = []string{
		rollout(turnContext, `{"model":"n","turn_id":"t"}`), userEvent("mine"), message("user", "mine"), message("assistant", "ok"),
		counted([3]int{305, 0, 31}, [3]int{5, 0, 1}),
	}
)

// restamped is a copy as forks make it: another time, another order of fields,
// null where a field is absent.
func restamped(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.Replace(l, `"timestamp":"2026-01-02T03:04:05.006Z","type"`, `"timestamp":"2027-01-01T00:00:00Z", "type"`, 1)
		l = strings.Replace(l, `"payload":{"type":"user_message",`, `"payload": {"images":null,"type":"user_message",`, 1)
		out = append(out, l)
	}
	return out
}

func lines(parts ...[]string) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestFork(t *testing.T) {
	parent := read(t, write(t, "p.jsonl", lines([]string{meta("mum", "")}, history)...))
	metas := []string{meta("kid", `,"forked_from_id":"mum"`), meta("mum", "")}
	kid := read(t, write(t, "k.jsonl", lines(metas, restamped(history), own)...))
	grandkid := read(t, write(t, "g.jsonl", lines([]string{meta("grandkid", `,"forked_from_id":"kid"`)}, restamped(lines(metas, history, own)), own)...))

	for name, tc := range map[string]struct {
		fork    *tape
		earlier []session.Record
	}{
		"a fork":           {kid, parent.records},
		"a fork of a fork": {grandkid, append(parent.records, kid.records...)},
	} {
		got := events(t, tc.fork.records, origins(tc.earlier))
		if diff := cmp.Diff([]string{"typed: mine", "answer: ok"}, script(got)); diff != "" {
			t.Errorf("%s: told (-want +got):\n%s", name, diff)
		}
		if partial := transcripttest.Of[*session.Facts](got)[0].Partial; partial != "" || len(transcripttest.Of[*session.Facts](got)) != 1 {
			t.Errorf("%s: is partial: %s", name, partial)
		}
	}
	if got := usageOf(events(t, kid.records, origins(parent.records))).Total(); got != 6 {
		t.Errorf("the fork used %d tokens, want 6", got)
	}
	if kid.facts.ForkedFrom == nil || kid.facts.ForkedFrom.Key != "mum" || kid.facts.Parent != nil {
		t.Errorf("the fork comes from %+v, want mum alone", kid.facts)
	}
}

// TestForkRepeatsItself: what the fork says again is its own, although its
// parent said the same.
func TestForkRepeatsItself(t *testing.T) {
	parent := read(t, write(t, "p.jsonl", lines([]string{meta("mum", "")}, history)...))
	again := []string{userEvent("one"), message("user", "one"), message("assistant", "1")}
	kid := read(t, write(t, "k.jsonl", lines([]string{meta("kid", `,"forked_from_id":"mum"`), meta("mum", "")}, restamped(history), again)...))
	got := script(events(t, kid.records, origins(parent.records)))
	if diff := cmp.Diff([]string{"typed: one", "answer: 1"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestForkWithoutParent: all is kept, and it is said that it may be counted for
// another.
func TestForkWithoutParent(t *testing.T) {
	kid := read(t, write(t, "k.jsonl", lines([]string{meta("kid", `,"forked_from_id":"mum"`), meta("mum", "")}, history, own)...))
	got := events(t, kid.records, nil)
	partial := ""
	for _, f := range transcripttest.Of[*session.Facts](got) {
		partial += f.Partial
	}
	if !strings.Contains(partial, "mum") {
		t.Errorf("partial reason %q, want one that names mum", partial)
	}
	if total := usageOf(got).Total(); total != 336 {
		t.Errorf("used %d tokens, want 336", total)
	}
}

// TestMetaAgain: a session_meta in the middle of a file changes nothing of what
// the session is.
func TestMetaAgain(t *testing.T) {
	s := read(t, write(t, "r.jsonl", meta("own", ""), userEvent("a"), meta("other", `,"model_provider":"p"`), meta("own", `,"cli_version":"2"`)))
	if s.ref.Key != "own" || s.facts != (session.StreamFacts{}) {
		t.Errorf("stream %v %+v, want own without relations", s.ref, s.facts)
	}
	got := events(t, s.records, nil)
	want := []*session.Context{{Cwd: "/w"}, {Cwd: "/w", HarnessVersion: "2"}}
	if diff := cmp.Diff(want, transcripttest.Of[*session.Context](got)); diff != "" {
		t.Errorf("contexts (-want +got):\n%s", diff)
	}
	if facts := transcripttest.Of[*session.Facts](got); len(facts) != 1 {
		t.Errorf("%d facts, want 1", len(facts))
	}
}

func TestFacts(t *testing.T) {
	ref := func(key string) *session.Ref { return &session.Ref{Harness: harness, Key: key} }
	for more, want := range map[string]session.StreamFacts{
		``:                        {},
		`,"forked_from_id":"mum"`: {ForkedFrom: ref("mum")},
		`,"forked_from_id":"mum","parent_thread_id":"mum","thread_source":"user"`:     {ForkedFrom: ref("mum")},
		`,"forked_from_id":"mum","parent_thread_id":"mum","thread_source":"subagent"`: {ForkedFrom: ref("mum"), Parent: ref("mum")},
		`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"mum"}}}`:          {Parent: ref("mum")},
		`,"parent_thread_id":"own"`: {},
		`,"parent_thread_id":7`:     {},
	} {
		got := read(t, write(t, "r.jsonl", meta("own", more))).facts
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: facts (-want +got):\n%s", more, diff)
		}
	}
}

package sqlite

import (
	"database/sql/driver"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

func TestIdentifiersArePackedAndBack(t *testing.T) {
	sid := session.Ref{Harness: "h", Key: "k"}.SessionID()
	for text, small := range map[string]bool{
		sid:                            true,
		session.TraceID(sid, "t"):      true,
		session.LLMID(sid, "m"):        true,
		session.ToolID(sid, "c"):       true,
		session.AgentID(sid, "a"):      true,
		session.EventID(sid, "e"):      true,
		"":                             false,
		"trc_none":                     false,
		"other_" + sid:                 false,
		"urn:uuid:" + sid:              false,
		"{" + sid + "}":                false,
		"6BA7B810-9DAD-11D1-80B4-00C0": false,
		"_":                            false,
		"🙈":                            false,
	} {
		packed := packIdent(text)
		if blob, ok := packed.([]byte); ok != small || ok && len(blob) != 17 {
			t.Errorf("%q is packed as %v", text, packed)
		}
		r := row{values: []driver.Value{packed}}
		if got := r.ident(); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}

func allShares(packed []byte) (list []session.DayUsage) {
	for s := newShares(packed); s.next(); {
		list = append(list, session.DayUsage{
			Day: string(s.day), Model: string(s.model), Usage: s.usage,
			Messages: s.messages, Prompts: s.prompts, ToolCalls: s.toolCalls, ToolErrors: s.toolErrors,
		})
	}
	return list
}

func TestSharesArePackedAndBack(t *testing.T) {
	want := []session.DayUsage{
		{Day: "2026-01-01", Model: "claude-a", Messages: 1, Prompts: 2, ToolCalls: 3, ToolErrors: 4, Usage: session.Usage{
			InputTokens: 1 << 62, CacheReadTokens: 2, CacheWriteTokens: 3, OutputTokens: 4, ReasoningTokens: 5, Cost: -6, Partial: true,
		}},
		{},
		{Model: "é🙈", Usage: session.Usage{Unpriced: true}},
	}
	var packed []byte
	for _, d := range want {
		packed = appendShare(packed, d)
	}
	if diff := cmp.Diff(want, allShares(packed)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzShares(f *testing.F) {
	f.Add(appendShare(nil, session.DayUsage{Day: "2026-01-01", Model: "m", Prompts: 3}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, packed []byte) {
		if list := allShares(packed); len(list) > len(packed) {
			t.Errorf("%d shares in %d bytes", len(list), len(packed))
		}
	})
}

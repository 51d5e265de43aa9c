package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

// TestUsage checks what is counted under each way in which versions count.
func TestUsage(t *testing.T) {
	n := func(input, cached, output int) [3]int { return [3]int{input, cached, output} }
	said := message("assistant", "x")
	for name, tc := range map[string]struct {
		lines []string
		want  session.Usage
	}{
		"each report is told twice": {
			[]string{said, counted(n(10, 4, 1), n(10, 4, 1)), counted(n(10, 4, 1), n(10, 4, 1)), said, counted(n(30, 14, 3), n(20, 10, 2)), counted(n(30, 14, 3), n(20, 10, 2))},
			session.Usage{InputTokens: 16, CacheReadTokens: 14, OutputTokens: 3},
		},
		"an inherited total": {
			[]string{counted(n(1000, 500, 100), n(0, 0, 0)), said, counted(n(1010, 504, 101), n(10, 4, 1))},
			session.Usage{InputTokens: 6, CacheReadTokens: 4, OutputTokens: 1},
		},
		"a count that begins anew": {
			[]string{said, counted(n(100, 0, 10), n(100, 0, 10)), said, counted(n(20, 0, 2), n(20, 0, 2)), said, counted(n(30, 0, 3), n(10, 0, 1))},
			session.Usage{InputTokens: 130, OutputTokens: 13},
		},
		"a count that begins anew above the last total": {
			[]string{said, counted(n(100, 0, 10), n(100, 0, 10)), said, counted(n(150, 0, 15), n(150, 0, 15))},
			session.Usage{InputTokens: 250, OutputTokens: 25},
		},
		"a report that is missing": {
			[]string{said, counted(n(10, 0, 1), n(10, 0, 1)), said, said, counted(n(40, 0, 4), n(10, 0, 1))},
			session.Usage{InputTokens: 40, OutputTokens: 4},
		},
		"a file that begins in the middle": {
			[]string{said, counted(n(1000, 900, 100), n(10, 4, 1))},
			session.Usage{InputTokens: 6, CacheReadTokens: 4, OutputTokens: 1},
		},
		"a total that was set to the context window": {
			[]string{said, counted(n(10, 0, 1), n(10, 0, 1)), event(`{"type":"token_count","info":{"total_token_usage":{"total_tokens":258400},"last_token_usage":{"total_tokens":258389}}}`), said, counted(n(5, 0, 1), n(5, 0, 1))},
			session.Usage{InputTokens: 15, OutputTokens: 2},
		},
		"reasoning and written cache": {
			[]string{said, event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":30,"output_tokens":9,"reasoning_output_tokens":5}}}`)},
			session.Usage{InputTokens: 10, CacheReadTokens: 60, CacheWriteTokens: 30, OutputTokens: 9, ReasoningTokens: 5},
		},
		"no total": {
			[]string{said, event(`{"type":"token_count","info":{"prompt":3,"completion":2}}`), event(`{"type":"token_count","info":null}`)},
			session.Usage{InputTokens: 3, OutputTokens: 2},
		},
		"totals of turns": {
			[]string{event(`{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":1}}`), event(`{"type":"turn.completed","usage":{"input_tokens":15,"output_tokens":3}}`)},
			session.Usage{InputTokens: 15, OutputTokens: 3},
		},
		"an answer that was not counted": {
			[]string{said, counted(n(10, 0, 1), n(10, 0, 1)), said},
			session.Usage{InputTokens: 10, OutputTokens: 1, Partial: true},
		},
		"numbers that can't be": {
			[]string{said, event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":-5,"cached_input_tokens":9,"output_tokens":1e300}}}`)},
			session.Usage{OutputTokens: maxTokens},
		},
	} {
		if diff := cmp.Diff(tc.want, usageOf(told(t, tc.lines...))); diff != "" {
			t.Errorf("%s: used (-want +got):\n%s", name, diff)
		}
	}
}

// TestModelCalls checks which answers and tokens are of one call of the model.
func TestModelCalls(t *testing.T) {
	n := func(n int) [3]int { return [3]int{n, 0, n} }
	think := item(`{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`)
	said, asked := message("assistant", "x"), userEvent("go")
	for name, tc := range map[string]struct {
		lines []string
		want  []int64 // input tokens by call; -1 where they are not told
	}{
		"tokens last": {
			[]string{asked, think, call("a", "f", `"{}"`), call("b", "f", `"{}"`), counted(n(1), n(1)), output("a", `""`), output("b", `""`), think, said, counted(n(3), n(2))},
			[]int64{1, 2},
		},
		"tokens first, as in 0.58": {
			[]string{
				asked, counted(n(1), n(1)), think, call("a", "f", `"{}"`), output("a", `""`), call("b", "f", `"{}"`), output("b", `""`),
				rollout(turnContext, `{"model":"m"}`), counted(n(1), n(1)), counted(n(3), n(2)), think, said,
			},
			[]int64{1, 2},
		},
		"tokens after the outputs": {
			[]string{asked, call("a", "f", `"{}"`), output("a", `""`), counted(n(1), n(1)), said, counted(n(3), n(2))},
			[]int64{1, 2},
		},
		"no tokens": {
			[]string{asked, think, call("a", "f", `"{}"`), output("a", `""`), said, asked, said},
			[]int64{-1, -1, -1},
		},
		"tokens of what answered nothing": {
			[]string{asked, said, counted(n(1), n(1)), counted(n(3), n(2)), said, counted(n(6), n(3))},
			[]int64{1, 2, 3},
		},
	} {
		var order []string
		used := map[string]int64{}
		for _, a := range transcripttest.Of[*session.Answer](told(t, tc.lines...)) {
			if _, known := used[a.Merge]; !known {
				order = append(order, a.Merge)
				used[a.Merge] = -1
			}
			if a.Usage != nil && !a.Usage.Partial {
				used[a.Merge] = a.Usage.InputTokens
			}
		}
		var got []int64
		for _, merge := range order {
			got = append(got, used[merge])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", name, diff)
		}
	}
}

func TestModelOfTokens(t *testing.T) {
	got := transcripttest.Of[*session.Answer](told(t, event(`{"type":"token_count","info":{"model":"gpt-5.2","last_token_usage":{"input_tokens":1}}}`)))
	if len(got) != 1 || got[0].Model != "gpt-5.2" {
		t.Errorf("told %+v, want one answer of gpt-5.2", got)
	}
}

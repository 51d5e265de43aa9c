package postgres

import (
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// many is how many sessions the listings are measured with (issue 3).
const many = 100_000

// manySessions fills a store with sessions, a fifth of them sub-agents', by SQL:
// deriving them would take longer than all that is measured.
func manySessions(b *testing.B) *Store {
	b.Helper()
	s := openStore(b)
	for _, statement := range []string{
		`INSERT INTO tapedeck.stream (session_id, harness, key, version) VALUES ('s', 'h', 'k', 1)`,
		`INSERT INTO tapedeck.session (num, stream, started_at, ended_at, duration, cost, tokens, traces, subagent, internal, harness, status, id,
			project_folded, cwd_folded, display_folded, title_folded, display_name, title, project, cwd, git_branch, harness_session_id,
			harness_version, parent_id, parent_relation, parent_trace_id, parent_span_id, agent_type, partial_reason, input_tokens,
			cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, partial, unpriced, records, prompts, messages, tool_calls,
			tool_results, tool_errors, unanswered_calls, subagents, compactions, replayed_records)
		OVERRIDING SYSTEM VALUE
		SELECT i, (SELECT min(id) FROM tapedeck.stream), started, started + d, d, i * 7 % 999983, 4 * (i % 997), i % 40, i % 5 = 0, i % 50 = 0, h,
			(ARRAY['ok', 'error', 'pending'])[1 + i % 3], gen_random_uuid(), p, '/home/ada/' || p, '', lower(t), '', t, p, '/home/ada/' || p, 'main',
			md5(i::text), '2.1', CASE WHEN i % 5 = 0 THEN md5((i - 1)::text) END, CASE WHEN i % 5 = 0 THEN 'subagent' ELSE '' END, '', '', '', '',
			i % 997, i % 997, i % 997, i % 997, 0, false, i % 9 = 0, i % 300, i % 20, i % 70, i % 60, i % 60, i % 7, 0, i % 3, i % 2, 0
		FROM generate_series(1, $1) i,
			LATERAL (SELECT (ARRAY['claude-code', 'codex', 'gemini', 'opencode'])[1 + i % 4] AS h, 'project ' || i % 300 AS p,
				'Fix the flaky upload test number ' || i || repeat(' and more', i % 9) AS t,
				1700000000000 + i * 600000::bigint AS started, i % 1000 * 10000 AS d) v`,
		`INSERT INTO tapedeck.session_model SELECT num, 'model-' || num % 7, 'model-' || num % 7, 3, input_tokens, cache_read_tokens,
			cache_write_tokens, output_tokens, reasoning_tokens, cost, partial, unpriced FROM tapedeck.session WHERE num <= $1`,
		`INSERT INTO tapedeck.day SELECT num, harness, project, project_folded, cwd_folded, to_char(to_timestamp(started_at / 1000) + n * interval '1 day', 'YYYY-MM-DD'), 'model-' || num % 7,
			'model-' || num % 7, n = 0, true, n = 0, 1, 2, 3, 4, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
			partial, unpriced FROM tapedeck.session, generate_series(0, 1) n WHERE num <= $1`,
	} {
		var args []any
		if statement[:len("INSERT INTO tapedeck.stream")] != "INSERT INTO tapedeck.stream" {
			args = append(args, many)
		}
		if _, err := s.pool.Exec(b.Context(), statement, args...); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkFirstPage is the first page of 100,000 sessions; at most 50 ms (issue 3).
func BenchmarkFirstPage(b *testing.B) {
	s := manySessions(b)
	filters := map[string]store.SessionFilter{
		"all":     {Children: true, Internal: true},
		"usual":   {},
		"since":   {Since: 1_750_000_000_000},
		"between": {Since: 1_730_000_000_000, Until: 1_731_000_000_000},
		"project": {Project: "project 7"},
		"harness": {Harness: "codex"},
		"model":   {Model: "Model-3"},
		"status":  {Status: session.StatusError},
		"title":   {Title: "TEST NUMBER 777"},
		"no such": {Title: "no such title"},
	}
	for _, by := range store.SessionSorts {
		filters["by "+string(by)] = store.SessionFilter{Sort: by}
		filters["by "+string(by)+" ascending"] = store.SessionFilter{Sort: by, Ascending: true}
		filters["by "+string(by)+" of a model"] = store.SessionFilter{Sort: by, Model: "model-3"}
	}
	for name, f := range filters {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Sessions(b.Context(), f, store.Page{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStats is the sums of 100,000 sessions; at most 300 ms (issue 3).
func BenchmarkStats(b *testing.B) {
	s := manySessions(b)
	for name, f := range map[string]store.SessionFilter{
		"":         {},
		" harness": {Harness: "codex"},
		" project": {Project: "project 7"},
		" model":   {Model: "Model-3"},
		" since":   {Since: 1_750_000_000_000},
	} {
		for _, by := range []store.StatsBy{store.ByNothing, store.ByDay, store.ByModel, store.ByProject, store.ByHarness} {
			b.Run("by "+string(by)+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Stats(b.Context(), f, by); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

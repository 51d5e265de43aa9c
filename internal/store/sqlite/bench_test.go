package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// line is a record of about 1.5 KB, as harnesses write them.
func line(random *rand.Rand, i int) session.Record {
	words := strings.Fields("the test fails because upload retries twice when server answers late so we wait for func err nil return path internal store sqlite append record")
	var text strings.Builder
	for size := 200 + random.IntN(1800); text.Len() < size; {
		text.WriteString(words[random.IntN(len(words))])
		if random.IntN(6) == 0 {
			fmt.Fprint(&text, random.IntN(100000))
		}
		text.WriteByte(' ')
	}
	key := fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", random.Uint32(), random.Uint32()>>16, i%4096, i/4096%4096, random.Uint64()>>16)
	return session.Record{
		Key: key, Origin: key, Order: int64(1_767_225_600_000 + i*10), Pos: int64(i * 1500), At: session.Time(1_767_225_600_000 + i*10),
		Body: []byte(fmt.Sprintf(`{"parentUuid":"%s","isSidechain":false,"userType":"external","cwd":"/home/ann/work","sessionId":"8b0c","version":"1.0.3","gitBranch":"main","type":"assistant","message":{"id":"msg_%d","role":"assistant","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":%d}},"uuid":"%s","timestamp":"2026-01-01T00:00:00.000Z"}`,
			key, i, text.String(), i, key)),
	}
}

func BenchmarkAppend(b *testing.B) {
	const portion = 1000
	random := rand.New(rand.NewPCG(1, 2))
	s := openStore(b, filepath.Join(b.TempDir(), "s.db"))
	var bytes int64
	n := 0
	for b.Loop() {
		b.StopTimer()
		batch := store.Batch{
			Source:  &store.Source{Path: fmt.Sprint("/logs/", n/20)},
			Streams: []store.StreamRecords{{Ref: session.Ref{Harness: "claude-code", Key: fmt.Sprint("s", n/20)}}},
		}
		for i := range portion {
			r := line(random, n*portion+i)
			bytes += int64(len(r.Body))
			batch.Streams[0].Records = append(batch.Streams[0].Records, r)
		}
		n++
		b.StartTimer()
		if _, err := s.Append(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(bytes / int64(n))
	info, err := s.Info(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Bytes)/float64(bytes), "stored/byte")
}

// many is a store with 100,000 sessions, made once.
var many = sync.OnceValues(func() (*Store, error) {
	dir := filepath.Join(tempDir, "many")
	s, err := Open(context.Background(), filepath.Join(dir, "s.db"), Options{})
	if err != nil {
		return nil, err
	}
	return s, fill(s, 100_000)
})

// fill makes sessions with a trace each, spread over a year, 40 projects, 3
// harnesses and 6 models.
func fill(s *Store, sessions int) error {
	random := rand.New(rand.NewPCG(3, 4))
	return s.write(context.Background(), func(c *conn) error {
		for i := range sessions {
			ref := session.Ref{Harness: []string{"claude-code", "codex", "gemini"}[random.IntN(3)], Key: fmt.Sprint("s", i)}
			stream, err := c.number("INSERT INTO stream (harness, key, sid, version, derived, records, deriver) VALUES (?, ?, ?, 1, 1, 1, 'd') RETURNING id",
				ref.Harness, ref.Key, ref.SessionID())
			if err != nil {
				return err
			}
			pr := projector{conn: c, ref: ref, stream: stream}
			if err := pr.session(benchSession(random, ref, i), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

func benchSession(random *rand.Rand, ref session.Ref, i int) session.ProjectedSession {
	start := session.Time(1_767_225_600_000 + random.Int64N(365)*86_400_000)
	project := fmt.Sprint("Project-", random.IntN(40))
	ps := session.ProjectedSession{Session: session.Session{
		ID: ref.SessionID(), Harness: ref.Harness, HarnessSessionID: ref.Key, Title: fmt.Sprintf("Fix the flaky upload test number %d in %s", random.IntN(5000), project),
		Cwd: "/home/ann/work/" + project, Project: project, GitBranch: "main", StartedAt: start, EndedAt: start + session.Time(random.IntN(10_000_000)),
		Status: []session.Status{"ok", "error", "pending"}[random.IntN(3)], HarnessVersion: "1.0.3",
	}}
	s := &ps.Session
	if random.IntN(3) == 0 {
		s.Parent = &session.Origin{SessionID: ref.SessionID(), Relation: session.Subagent}
	}
	for range 1 + random.IntN(2) {
		model := fmt.Sprint("claude-model-", random.IntN(6))
		usage := session.Usage{InputTokens: random.Int64N(100000), OutputTokens: random.Int64N(10000), CacheReadTokens: random.Int64N(1e6), Cost: session.USD(random.Int64N(1e10))}
		s.Models = append(s.Models[:len(s.Models):len(s.Models)], session.ModelUsage{Model: model, Calls: 3, Usage: usage})
		s.Usage.Add(usage)
		for d := range 1 + random.IntN(2) {
			ps.Daily = append(ps.Daily, session.DayUsage{Day: (start + session.Time(d+2*len(s.Models))*86_400_000).Day(), Model: model, Usage: usage, Prompts: 2, Messages: 9, ToolCalls: 5})
		}
		if len(s.Models) == 2 && s.Models[0].Model == model {
			s.Models = s.Models[:1]
		}
	}
	s.Counts = session.Counts{Traces: 1, Prompts: 3, Messages: int64(random.IntN(100))}
	ps.Traces = []session.ProjectedTrace{{Trace: session.Trace{ID: session.TraceID(s.ID, "t"), SessionID: s.ID, UserPrompt: s.Title, Models: []string{"m"}, StartedAt: start}}}
	return ps
}

func BenchmarkSessions(b *testing.B) {
	s, err := many()
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]store.SessionFilter{
		"all":          {},
		"cost":         {Sort: store.SortCost},
		"title":        {Sort: store.SortTitle, Ascending: true},
		"duration":     {Sort: store.SortDuration},
		"since":        {Since: 1_767_225_600_000 + 300*86_400_000},
		"window":       {Since: 1_767_225_600_000, Until: 1_767_225_600_000 + 3*86_400_000},
		"project":      {Project: "project-7"},
		"model":        {Model: "CLAUDE-MODEL-3"},
		"title filter": {Title: "number 77"},
		"no title":     {Title: "nothing has this", Sort: store.SortTokens},
		"harness":      {Harness: "codex", Children: true, Internal: true, Sort: store.SortTraces},
		"many":         {Harness: "codex", Project: "project-7", Model: "claude-model-3", Status: "ok", Title: "flaky"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Sessions(b.Context(), f, store.Page{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStats(b *testing.B) {
	s, err := many()
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]store.SessionFilter{
		"":         {},
		" harness": {Harness: "codex"},
		" since":   {Since: 1_767_225_600_000 + 100*86_400_000},
		" model":   {Model: "CLAUDE-MODEL-3"},
	} {
		for _, by := range []store.StatsBy{store.ByNothing, store.ByDay, store.ByModel, store.ByProject, store.ByHarness} {
			b.Run(string(by)+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Stats(b.Context(), f, by); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

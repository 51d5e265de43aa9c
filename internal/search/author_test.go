package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// An author writes sessions as agents have them: of prompts and answers of 300 to
// 2500 bytes, each session about something, its words as frequent as those of a
// language are, with paths, names and error codes between them. The same seed
// writes the same.
type author struct {
	random   *rand.Rand
	frequent *rand.Zipf
	words    []string
	topics   [][]string // the words that sessions about something have more of
	said     []string   // answers, of which some are given again
}

const (
	authorWords  = 40_000
	authorTopics = 300
	// authorTraces and authorAnswers are those of a session: a prompt is answered in
	// several spans, with a tool's between them.
	authorTraces  = 10
	authorAnswers = 5
	// authorSpans is how many llm spans a session has.
	authorSpans = authorTraces * authorAnswers
	authorBegan = session.Time(1_760_000_000_000)
	// authorPace is between two sessions, which so follow each other.
	authorPace = session.Time(time.Hour / time.Millisecond)
)

func newAuthor() *author {
	a := &author{random: rand.New(rand.NewPCG(4, 100_000))}
	syllables := strings.Fields("ta ri mo ne lu sa ko vi der en st ing al or pre con fil er func test over read write ed un able ge th wa ho")
	seen := map[string]bool{}
	for len(a.words) < authorWords {
		word := ""
		for range 1 + a.random.IntN(4) {
			word += a.pick(syllables)
		}
		if !seen[word] {
			seen[word] = true
			a.words = append(a.words, word)
		}
	}
	copy(a.words, strings.Fields("the of to and a in is it for that with on this be as are you not we can"))
	a.frequent = rand.NewZipf(a.random, 1.07, 3, authorWords-1)
	for range authorTopics {
		topic := make([]string, 40)
		for i := range topic {
			topic[i] = a.words[100+a.random.IntN(authorWords/4)]
		}
		a.topics = append(a.topics, topic)
	}
	return a
}

func (a *author) pick(list []string) string { return list[a.random.IntN(len(list))] }

// text is at least n bytes about a topic.
func (a *author) text(topic []string, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch x := a.random.IntN(100); {
		case x < 4:
			b.WriteString(a.identifier(topic))
		case x < 30:
			b.WriteString(a.pick(topic))
		default:
			b.WriteString(a.words[a.frequent.Uint64()])
		}
		switch x := a.random.IntN(60); {
		case x == 0:
			b.WriteString(".\n\n")
		case x < 5:
			b.WriteString(". ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// identifier is a name that means just itself.
func (a *author) identifier(topic []string) string {
	one, two := a.pick(topic), a.pick(topic)
	switch a.random.IntN(5) {
	case 0:
		return fmt.Sprintf("internal/%s/%s_%s.go:%d", one, two, one, a.random.IntN(400))
	case 1:
		return fmt.Sprintf("E%04d", a.random.IntN(3000))
	case 2:
		return fmt.Sprintf("bd-%c%c%d", 'a'+a.random.IntN(26), 'a'+a.random.IntN(26), a.random.IntN(90))
	case 3:
		return "Test" + strings.ToUpper(one[:1]) + one[1:] + strings.ToUpper(two[:1]) + two[1:]
	}
	return one + "_" + two
}

// answer is a new one, or one in thirty an earlier one as it was or all but.
func (a *author) answer(topic []string, n int) string {
	if len(a.said) > 0 && a.random.IntN(30) == 0 {
		again := a.pick(a.said)
		if a.random.IntN(2) == 0 {
			again += " " + a.pick(topic)
		}
		return again
	}
	text := a.text(topic, n)
	if len(a.said) < 500 {
		a.said = append(a.said, text)
	} else if a.random.IntN(10) == 0 {
		a.said[a.random.IntN(len(a.said))] = text
	}
	return text
}

// query is what somebody asks who knows the i-th session's topic: two to eight
// words, at times an identifier.
func (a *author) query(i int) string {
	topic := a.topics[i%authorTopics]
	var words []string
	for range 2 + a.random.IntN(6) {
		switch x := a.random.IntN(20); {
		case x < 7:
			words = append(words, a.words[a.frequent.Uint64()])
		default:
			words = append(words, a.pick(topic))
		}
	}
	if a.random.IntN(4) == 0 {
		words = append(words, a.identifier(topic))
	}
	return strings.Join(words, " ")
}

// What sessions and spans have, by which filters tell them apart.
func authorProject(i int) string { return fmt.Sprintf("project%d", i%10) }

func authorHarness(i int) string {
	if i/10%4 == 0 {
		return "codex"
	}
	return "claude-code"
}

func authorModel(span int) string {
	if span%4 == 0 {
		return "small-1"
	}
	return "large-2"
}

func authorRef(i int) session.Ref {
	return session.Ref{Harness: authorHarness(i), Key: fmt.Sprint("session ", i)}
}

// session is the i-th session.
func (a *author) session(tb testing.TB, i int) session.ProjectedSession {
	ref, project := authorRef(i), authorProject(i)
	topic, began := a.topics[i%authorTopics], authorBegan+authorPace*session.Time(i)
	p := session.ProjectedSession{Session: session.Session{
		ID: ref.SessionID(), Harness: ref.Harness, HarnessSessionID: ref.Key, Title: a.text(topic, 30), Project: project, Cwd: "/work/" + project,
		Status: session.StatusOK, Models: []session.ModelUsage{{Model: authorModel(0), Calls: 1}, {Model: authorModel(1), Calls: 1}}, StartedAt: began, EndedAt: began + authorPace,
	}}
	for seq := range authorTraces {
		at := began + session.Time(seq)*60_000
		prompt := a.text(topic, 60+a.random.IntN(500))
		trace := session.Trace{
			ID: session.TraceID(p.Session.ID, fmt.Sprint(seq)), SessionID: p.Session.ID, Seq: seq, UserPrompt: prompt, Origin: session.Typed,
			Status: session.StatusOK, StartedAt: at, EndedAt: at + 50_000, Models: []string{authorModel(0)}, SpanCount: authorAnswers + 2,
		}
		t := session.ProjectedTrace{Trace: trace}
		add := func(s session.Span, input, output session.Part) {
			s.TraceID, s.SessionID, s.Seq, s.Status = trace.ID, trace.SessionID, len(t.Spans), session.StatusOK
			s.StartedAt = at + session.Time(s.Seq)*1000
			s.EndedAt = s.StartedAt + 900
			t.Spans = append(t.Spans, session.ProjectedSpan{Span: s, Input: packedPart(tb, input), Output: packedPart(tb, output)})
		}
		add(session.Span{ID: session.AgentID(trace.SessionID, trace.ID), Kind: session.KindAgent, Name: ref.Harness}, session.Part{}, session.Part{})
		for n := range authorAnswers {
			input := session.Part{Type: session.Text, Text: prompt}
			if n > 0 {
				input = session.Part{Type: session.ToolResult, Text: "ok"}
			}
			s := session.Span{ID: session.LLMID(trace.SessionID, fmt.Sprint(seq, " ", n)), Kind: session.KindLLM, Model: authorModel(seq*authorAnswers + n)}
			add(s, input, session.Part{Type: session.Text, Text: a.answer(topic, 300+a.random.IntN(1600))})
		}
		call := session.Span{ID: session.ToolID(trace.SessionID, fmt.Sprint(seq)), Kind: session.KindTool, Name: "Bash", CallID: fmt.Sprint(seq)}
		add(call, session.Part{Type: session.ToolCall, Text: a.identifier(topic)}, session.Part{Type: session.ToolResult, Text: a.text(topic, 200)})
		p.Traces = append(p.Traces, t)
	}
	return p
}

func packedPart(tb testing.TB, p session.Part) session.Packed {
	if p.Type == "" {
		return nil
	}
	packed, err := session.Pack([]session.Part{p})
	if err != nil {
		tb.Fatal(err)
	}
	return packed
}

// write puts sessions into a store as if they had been derived, and tells each.
func (a *author) write(tb testing.TB, st store.Store, sessions int, told func(session.ProjectedSession)) {
	tb.Helper()
	const deriver, atOnce = "author", 100
	for first := 0; first < sessions; first += atOnce {
		var batch store.Batch
		for i := first; i < min(first+atOnce, sessions); i++ {
			record := session.Record{Key: "r", Order: 1, Pos: 1, At: authorBegan, Body: fmt.Appendf(nil, `{"session":%d}`, i)}
			batch.Streams = append(batch.Streams, store.StreamRecords{Ref: authorRef(i), Records: []session.Record{record}})
		}
		if _, err := st.Append(tb.Context(), batch); err != nil {
			tb.Fatal(err)
		}
		streams, err := st.Pending(tb.Context(), deriver, 0)
		if err != nil {
			tb.Fatal(err)
		}
		for i := first; i < min(first+atOnce, sessions); i++ {
			written := a.session(tb, i)
			at := slices.IndexFunc(streams, func(s store.Stream) bool { return s.Ref == authorRef(i) })
			if err := st.Project(tb.Context(), streams[at], deriver, session.Projection{Sessions: []session.ProjectedSession{written}}); err != nil {
				tb.Fatal(err)
			}
			told(written)
		}
	}
}

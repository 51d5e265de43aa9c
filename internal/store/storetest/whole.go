package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testCheck(t *testing.T, open Open) {
	for _, damage := range Damages {
		t.Run(string(damage), func(t *testing.T) {
			s, _ := open(t)
			damager, ok := s.(Damager)
			if !ok {
				t.Fatal("the store that the suite got can't be damaged: it needs to be a Damager")
			}
			b := batch(ref("a"), record("1", 1))
			for name, body := range awkward() {
				b.Streams[0].Records = append(b.Streams[0].Records, session.Record{Key: name, Order: 2, Body: body})
			}
			appendTo(t, s, b)
			project(t, s, ref("a"), derived(ref("a"), turn{"one", "m", day0, 10, 1}, turn{"two", "m", day0, 20, 1}))
			sound(t, s)
			if err := damager.Damage(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			problems, err := s.Check(t.Context())
			if err != nil || len(problems) == 0 {
				t.Errorf("check: %v, %v; want a problem", problems, err)
			}
			for _, p := range problems {
				if p.Where == "" || p.What == "" {
					t.Errorf("a problem without words: %+v", p)
				}
			}
		})
	}
}

// A session of 500 turns whose requests repeat the history takes at most 3 times
// the storage of its distinct messages (issue 3).
func testHistory(t *testing.T, open Open) {
	const turns = 500
	messages := conversation(2 * turns)
	s, _ := open(t)
	before := bytesOf(t, s)
	var history strings.Builder
	for i := range turns {
		history.WriteString(messages[2*i])
		request := fmt.Sprintf(`{"at":"2026-01-%02dT%02d:00:00Z","id":"req_%d","model":"claude-a","messages":[%s]}`, i%28+1, i%24, i*7919, history.String())
		appendTo(t, s, batch(ref("a"), session.Record{Key: fmt.Sprint("request ", i), Order: int64(i + 1), Body: []byte(request)}))
		history.WriteString("," + messages[2*i+1] + ",")
	}
	took := bytesOf(t, s) - before

	distinct, _ := open(t)
	before = bytesOf(t, distinct)
	b, size := batch(ref("a")), 0
	for i, m := range messages {
		size += len(m)
		b.Streams[0].Records = append(b.Streams[0].Records, session.Record{Key: fmt.Sprint("message ", i), Order: int64(i + 1), Body: []byte(m)})
	}
	appendTo(t, distinct, b)
	alone := bytesOf(t, distinct) - before
	t.Logf("%d turns take %d bytes; their messages alone %d, of text %d", turns, took, alone, size)
	if limit := 3 * min(alone, int64(size)); took > limit {
		t.Errorf("%d turns take %d bytes, more than 3 times their messages: %d", turns, took, limit)
	}
	sound(t, s)
}

func bytesOf(t *testing.T, s store.Store) int64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Bytes
}

// conversation is messages of 0.5 to 3 KB, as JSON.
func conversation(n int) []string {
	random := rand.New(rand.NewPCG(5, 6))
	syllables := strings.Fields("ta ri mo ne lu sa ko vi der en st ing al or pre con fil er func test over read write ed s un able")
	word := func() string {
		w := ""
		for range 1 + random.IntN(4) {
			w += syllables[random.IntN(len(syllables))]
		}
		return w
	}
	var messages []string
	for i := range n {
		var text strings.Builder
		for size := 500 + random.IntN(2500); text.Len() < size; {
			text.WriteString(word())
			text.WriteString([]string{" ", " ", " ", " ", ", ", ".\n", fmt.Sprint(" ", random.IntN(9999), " ")}[random.IntN(7)])
		}
		m, err := json.Marshal(map[string]string{"role": []string{"user", "assistant"}[i%2], "content": text.String()})
		if err != nil {
			panic(err)
		}
		messages = append(messages, string(m))
	}
	return messages
}

func testConcurrent(t *testing.T, open Open) {
	first, second := open(t)
	alone, _ := open(t)
	const streams, records = 6, 40
	var work sync.WaitGroup
	for worker := range 4 {
		s := []store.Store{first, second}[worker%2]
		work.Go(func() {
			for i := range records {
				for k := range streams {
					r := ref(fmt.Sprint("s", (k+worker)%streams))
					if _, err := s.Append(t.Context(), batch(r, record(fmt.Sprint("r", i), int64(i+1)))); err != nil {
						t.Errorf("append: %v", err)
						return
					}
				}
				deriveSome(t, s)
			}
		})
	}
	work.Wait()
	deriveSome(t, first)
	for k := range streams {
		r := ref(fmt.Sprint("s", k))
		for i := range records {
			appendTo(t, alone, batch(r, record(fmt.Sprint("r", i), int64(i+1))))
		}
	}
	deriveSome(t, alone)
	sameDumps(t, alone, second)
	sound(t, first)
}

// deriveSome projects what is pending, so long as nobody is quicker.
func deriveSome(t *testing.T, s store.Store) {
	pending, err := s.Pending(t.Context(), deriver, 3)
	for len(pending) > 0 && err == nil {
		for _, stream := range pending {
			p := derived(stream.Ref, turn{fmt.Sprint(stream.Records, " records"), "m", day0, stream.Records, 1})
			if err := s.Project(t.Context(), stream, deriver, p); err != nil && !errors.Is(err, store.ErrChanged) {
				t.Errorf("project: %v", err)
				return
			}
		}
		pending, err = s.Pending(t.Context(), deriver, 3)
	}
	if err != nil {
		t.Errorf("pending: %v", err)
	}
}

func testCancel(t *testing.T, open Open) {
	s, _ := open(t)
	r := ref("a")
	p := derived(r, turn{"one", "m", day0, 1, 0})
	with(t, s, map[session.Ref]session.Projection{r: p})
	before, err := Dump(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	id, stream := r.SessionID(), *streamOf(t, s, r)
	for name, call := range map[string]func() error{
		"append":   func() error { _, err := s.Append(ctx, batch(r, record("new", 2))); return err },
		"project":  func() error { return s.Project(ctx, stream, deriver, session.Projection{}) },
		"delete":   func() error { _, err := s.Delete(ctx, id); return err },
		"rename":   func() error { _, err := s.Rename(ctx, id, "x"); return err },
		"rederive": func() error { _, err := s.Rederive(ctx, ""); return err },
		"sessions": func() error { _, err := s.Sessions(ctx, everySession, store.Page{}); return err },
		"stats":    func() error { _, err := s.Stats(ctx, store.SessionFilter{}, store.ByDay); return err },
		"check":    func() error { _, err := s.Check(ctx); return err },
		"records": func() error {
			for _, err := range s.Records(ctx, r, session.Place{}) {
				return err
			}
			return nil
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	after, err := Dump(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the store after all was cancelled", after, before)
	for _, err := range s.Records(t.Context(), r, session.Place{}) { // left early
		if err != nil {
			t.Error(err)
		}
		break
	}
	appendTo(t, s, batch(r, record("new", 2)))
}

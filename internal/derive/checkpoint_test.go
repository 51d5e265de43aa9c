package derive

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

// script makes records that say anything in any order, so that calls, results
// and messages reach back over traces.
type script struct {
	next func(n int) int // 0 to n-1
}

func (s script) record(minute int) session.Record {
	var list []scripted
	for range 1 + s.next(3) {
		what := s.what()
		text, err := json.Marshal(what)
		if err != nil {
			panic(err)
		}
		at := start + int64(minute+s.next(3))*60_000
		list = append(list, scripted{Kind: kindOf(what), At: at, What: text, Late: s.next(12) == 0})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	r := session.Record{Key: fmt.Sprintf("r%d", minute), Origin: fmt.Sprintf("o%d", minute), Order: int64(minute), Body: body}
	if s.next(25) == 0 {
		r.Order = 0
	}
	return r
}

func (s script) what() session.What {
	call := fmt.Sprintf("call%d", s.next(40))
	merge := fmt.Sprintf("msg%d", s.next(60))
	switch s.next(16) {
	case 0, 1:
		origins := []session.PromptOrigin{session.Typed, session.Queued, session.Delegated}
		return &session.Prompt{Origin: origins[s.next(3)], Content: text("ask " + merge)}
	case 2:
		return &session.Prompt{Origin: session.Command, Content: text("/" + call)}
	case 3:
		return &session.Prompt{Origin: session.Injected, Content: text("note " + call)}
	case 4, 5, 6:
		return &session.Answer{Merge: merge, Model: "gpt-5", Content: text("answer " + merge), Usage: &session.Usage{OutputTokens: int64(s.next(100))}}
	case 7, 8:
		return calls(merge, call, "Run", `{"n": 1}`)
	case 9, 10:
		r := gives(call, "gave "+call)
		r.Status = []session.Status{session.StatusOK, session.StatusError, session.StatusInterrupted}[s.next(3)]
		return r
	case 11:
		return &session.Call{CallID: call, Name: "Outside", Attributes: map[string]string{"k": merge}}
	case 12:
		return &session.Context{Cwd: "/w/" + merge, Model: "o3"}
	case 13:
		if s.next(2) == 0 {
			return &session.Title{Text: "title " + merge, Rank: session.TitleRank(1 + s.next(3))}
		}
		return &session.Facts{Partial: merge}
	case 14:
		return &session.Note{Name: []string{session.NoteCompaction, session.NoteInterrupted, session.NoteError, "hook"}[s.next(4)], Text: merge}
	default:
		return &session.Spawn{CallID: call, Child: session.Ref{Harness: "fake", Key: merge}}
	}
}

// growing derives records in an order of arrival, from checkpoints where there
// are any, and compares with deriving all each time. It returns how many
// derivations went on from a checkpoint.
func growing(t *testing.T, records []session.Record, copies map[string]bool) (resumed int) {
	t.Helper()
	var store stored
	for n := range records {
		in := inputOf(records[:n+1]...)
		if copies != nil {
			in.Earlier = []session.Ref{{Harness: "fake", Key: "source"}}
			in.Replayed = func(origin string) bool { return copies[origin] }
			for _, r := range records[:n+1] {
				if copies[r.Origin] {
					in.ReplayedOrigins++
				}
			}
		}
		var whole stored
		first := derived(t, in)
		whole.project(first)

		in.Checkpoints, in.HasSpan = store.points, store.hasSpan
		if in.Fresh = records[n].Place(); records[n].Order == 0 && n > 0 {
			in.Fresh = session.Place{Order: 1 << 40} // what has a place is as it was
		}
		p := derived(t, in)
		if p.From > 0 {
			resumed++
		}
		store.project(p)
		if whole.json(t) != store.json(t) {
			t.Fatalf("after record %d, from trace %d, whole (-), in steps (+):\n%s", n, p.From,
				cmp.Diff(whole.lines(), store.lines()))
		}
	}
	return resumed
}

func TestGoingOnGivesWhatDerivingAllGives(t *testing.T) {
	resumed := 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := script{next: random.IntN}
		var records []session.Record
		for minute := range 60 {
			records = append(records, s.record(minute+1))
		}
		if seed%3 == 1 { // some come late
			for range 10 {
				i, j := random.IntN(len(records)), random.IntN(len(records))
				records[i], records[j] = records[j], records[i]
			}
		}
		var copies map[string]bool
		if seed%4 == 2 {
			copies = map[string]bool{}
			for _, r := range records[:20] {
				copies[r.Origin] = true
			}
		}
		resumed += growing(t, records, copies)
	}
	if resumed < 200 {
		t.Errorf("only %d derivations went on from a checkpoint", resumed)
	}
}

func TestAConversationThatGrowsCostsWhatIsNew(t *testing.T) {
	var records []session.Record
	for turn := range 40 {
		minute := turn*4 + 1
		id := fmt.Sprint("c", turn)
		records = append(records,
			told(minute, typed(fmt.Sprint("question ", turn))),
			told(minute+1, calls(fmt.Sprint("m", turn), id, "Read", `{"path":"a"}`)),
			told(minute+2, gives(id, "content")),
			told(minute+3, says(fmt.Sprint("n", turn), "done")))
	}
	// The first trace has no checkpoint before it; all others have one.
	if resumed := growing(t, records, nil); resumed != len(records)-5 {
		t.Errorf("%d of %d derivations went on from a checkpoint", resumed, len(records))
	}
}

func TestLateEventsThatTheEndTells(t *testing.T) {
	late := told(9, gives("c1", "late"))
	var list []scripted
	if err := json.Unmarshal(late.Body, &list); err != nil {
		t.Fatal(err)
	}
	list[0].Late = true
	late.Body, _ = json.Marshal(list)
	growing(t, []session.Record{
		told(1, typed("one")), told(2, calls("m1", "c1", "Run", `{}`)),
		told(3, typed("two")), told(4, says("m2", "two")),
		told(5, typed("three")), told(6, says("m3", "three")),
		late, told(10, says("m4", "more")), told(11, typed("four")), told(12, says("m5", "four")),
	}, nil)
}

func TestCommandThatIsAnsweredLaterBecomesATrace(t *testing.T) {
	growing(t, []session.Record{
		told(1, typed("one")), told(2, says("m1", "one")),
		told(3, typed("two")), told(4, says("m2", "two")),
		told(5, &session.Prompt{Origin: session.Command, Content: text("/review")}),
		told(6, &session.Note{Name: "hook"}),
		told(8, says("m3", "reviewed")),
		told(7, typed("came between")), // arrives last
	}, nil)
}

func TestCheckpointsOfOthersAreLeft(t *testing.T) {
	records := []session.Record{
		told(1, typed("one")), told(2, says("m1", "one")),
		told(3, typed("two")), told(4, says("m2", "two")),
	}
	in := inputOf(records...)
	p := derived(t, in)
	if len(p.Checkpoints) == 0 {
		t.Fatal("no checkpoints")
	}
	in.Fresh, in.HasSpan = records[3].Place(), func(string, int) (bool, error) { return false, nil }
	in.Checkpoints = p.Checkpoints
	if from := derived(t, in).From; from != 1 {
		t.Fatalf("went on from trace %d, want 1", from)
	}
	for name, change := range map[string]func(*Input){
		"no checkpoints":      func(in *Input) { in.Checkpoints = nil },
		"damaged":             func(in *Input) { in.Checkpoints = p.Checkpoints[:len(p.Checkpoints)/2] },
		"nothing fresh":       func(in *Input) { in.Fresh = session.Place{} },
		"fresh before":        func(in *Input) { in.Fresh = records[2].Place() },
		"other parent":        func(in *Input) { in.Facts.Parent = &session.Ref{Harness: "fake", Key: "p"} },
		"other kin":           func(in *Input) { in.Earlier = []session.Ref{{Harness: "fake", Key: "e"}} },
		"more copies":         func(in *Input) { in.ReplayedOrigins = 2 },
		"the opening is gone": func(in *Input) { in.Records = logged(slices.Delete(slices.Clone(records), 2, 3)).records },
		"other unplaced record": func(in *Input) {
			in.Records = logged(append(slices.Clone(records), unplaced("u", &session.Context{Model: "o3"}))).records
		},
	} {
		t.Run(name, func(t *testing.T) {
			changed := in
			change(&changed)
			if from := derived(t, changed).From; from != 0 {
				t.Errorf("went on from trace %d", from)
			}
		})
	}
}

func TestATitleWithoutAPlaceNeedsNoDerivingAgain(t *testing.T) {
	records := []session.Record{
		told(1, typed("one")), told(2, says("m1", "one")),
		told(3, typed("two")), told(4, says("m2", "two")),
		unplaced("t", &session.Title{Text: "Named later", Rank: session.TitlePerson}),
	}
	in := inputOf(records[:4]...)
	in.Checkpoints = derived(t, in).Checkpoints
	in.Records = logged(records).records
	in.Fresh, in.HasSpan = records[3].Place(), func(string, int) (bool, error) { return false, nil }
	p := derived(t, in)
	if p.From != 1 || p.Sessions[0].Session.Title != "Named later" {
		t.Errorf("from %d, title %q", p.From, p.Sessions[0].Session.Title)
	}
}

func FuzzGrowing(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte{0, 0, 0, 1, 2, 3, 7, 7, 7, 9, 9, 9, 0, 0, 0, 9, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script{next: func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := int(data[0])
			data = data[1:]
			return b % n
		}}
		var records []session.Record
		for minute := 1; len(data) > 0 && minute <= 25; minute++ {
			records = append(records, s.record(minute))
		}
		growing(t, records, nil)
	})
}

func FuzzCheckpoints(f *testing.F) {
	records := []session.Record{told(1, typed("one")), told(2, says("m1", "one")), told(3, typed("two")), told(4, says("m2", "two"))}
	p, err := Derive(context.Background(), inputOf(records...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Checkpoints)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := inputOf(records...)
		in.Checkpoints, in.Fresh = data, records[3].Place()
		in.HasSpan = func(string, int) (bool, error) { return false, nil }
		if got := derived(t, in); len(got.Sessions) != 1 {
			t.Errorf("%d sessions", len(got.Sessions))
		}
	})
}

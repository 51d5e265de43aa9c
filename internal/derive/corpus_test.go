package derive

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/registry"
)

// log is a raw log of the streams in one file, in memory.
type log struct {
	records map[session.Ref]map[string]session.Record
	facts   map[session.Ref]session.StreamFacts
}

func (l *log) Stream(ref session.Ref, facts session.StreamFacts) error {
	l.facts[ref] = facts
	return nil
}

func (l *log) Record(ref session.Ref, r session.Record) error {
	if l.records[ref] == nil {
		l.records[ref] = map[string]session.Record{}
	}
	if old, known := l.records[ref][r.Key]; known && (old.Version > r.Version || old.Version == r.Version && len(old.Body) >= len(r.Body)) {
		return nil
	}
	r.Body = slices.Clone(r.Body)
	l.records[ref][r.Key] = r
	return nil
}

func (*log) Lost(int64, string) {}
func (*log) Unknown(string)     {}
func (*log) Cut(int64)          {}

// TestCorpusGrows derives the real logs in two steps, cut at several places, and
// at once.
func TestCorpusGrows(t *testing.T) {
	streams, resumed := 0, 0
	err := filepath.WalkDir(corpustest.Path(t, "agents"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		l := &log{map[session.Ref]map[string]session.Record{}, map[session.Ref]session.StreamFacts{}}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		file := &transcript.File{Path: path, Info: info}
		for _, importer := range registry.All() {
			if importer.Claims(file) {
				_, err := importer.Read(context.Background(), file, transcript.Cursor{}, l)
				if err != nil {
					t.Logf("%s: %v", path, err)
				}
				break
			}
		}
		for ref, byKey := range l.records {
			var all logged
			for _, r := range byKey {
				all = append(all, r)
			}
			all = slices.Collect(values(all))
			streams++
			resumed += growsInTwoSteps(t, Input{Ref: ref, Facts: l.facts[ref], Importer: registry.Of(ref.Harness)}, all)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if streams < 100 || resumed < 50 {
		t.Errorf("%d streams, %d derivations that went on from a checkpoint", streams, resumed)
	}
}

// values are the records in their order.
func values(l logged) func(func(session.Record) bool) {
	return func(yield func(session.Record) bool) {
		for r := range l.records(session.Place{}) {
			if !yield(r) {
				return
			}
		}
	}
}

func growsInTwoSteps(t *testing.T, in Input, all logged) (resumed int) {
	t.Helper()
	in.Records = all.records
	var whole stored
	whole.project(derived(t, in))
	for _, cut := range []int{len(all) / 2, len(all) * 9 / 10, len(all) - 1} {
		if cut <= 0 {
			continue
		}
		early, late := in, in
		early.Records = all[:cut].records
		var steps stored
		steps.project(derived(t, early))
		late.Checkpoints, late.HasSpan, late.Fresh = steps.points, steps.hasSpan, all[cut].Place()
		p := derived(t, late)
		if p.From > 0 {
			resumed++
		}
		steps.project(p)
		if steps.json(t) != whole.json(t) {
			t.Errorf("%s, cut at %d of %d, from trace %d: whole (-), in steps (+):\n%s", in.Ref, cut, len(all), p.From, cmp.Diff(whole.lines(), steps.lines()))
		}
	}
	return resumed
}

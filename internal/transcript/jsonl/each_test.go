package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// heard notes what was told.
type heard []string

func (h *heard) Lost(offset int64, reason string) { *h = append(*h, fmt.Sprint("lost ", offset)) }
func (h *heard) Cut(offset int64)                 { *h = append(*h, fmt.Sprint("cut ", offset)) }

func TestEach(t *testing.T) {
	stop, broken := errors.New("stop"), errors.New("broken")
	for name, c := range map[string]struct {
		in    io.Reader
		stop  string // at this value
		want  []string
		taken int64
		err   error
	}{
		"empty":             {in: strings.NewReader("")},
		"values":            {in: strings.NewReader("{}\n[1]\n"), want: []string{"{} at 10", "[1] at 13"}, taken: 17},
		"a bad line":        {in: strings.NewReader("{}\nx\n[1]\n"), want: []string{"{} at 10", "lost 13", "[1] at 15"}, taken: 19},
		"cut off":           {in: strings.NewReader("{}\n[1"), want: []string{"{} at 10", "cut 13"}, taken: 13},
		"take fails":        {in: strings.NewReader("{}\n[1]\n{}"), stop: "[1]", want: []string{"{} at 10", "[1] at 13"}, taken: 12, err: stop},
		"reading fails":     {in: io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(broken)), want: []string{"{} at 10"}, taken: 12, err: broken},
		"it fails at first": {in: iotest.ErrReader(broken), taken: 10, err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			var h heard
			taken, err := NewReader(c.in, 10).Each(t.Context(), &h, func(value []byte, start int64) error {
				h = append(h, fmt.Sprintf("%s at %d", value, start))
				if string(value) == c.stop {
					return stop
				}
				return nil
			})
			if diff := cmp.Diff(c.want, []string(h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := max(c.taken, 10); taken != want || !errors.Is(err, c.err) {
				t.Errorf("taken up to %d, %v; want %d, %v", taken, err, want, c.err)
			}
			if failed := new(ReadError); errors.As(err, &failed) != (c.err == broken) {
				t.Errorf("%v: only reading fails with a ReadError", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if taken, err := NewReader(strings.NewReader("{}"), 10).Each(ctx, new(heard), nil); taken != 10 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d, %v", taken, err)
	}
}

package decode

import (
	"errors"
	"math"
	"testing"
)

func TestBudget(t *testing.T) {
	b := NewBudget(0)
	if err := b.SpendEach(math.MaxInt, math.MaxInt); !errors.Is(err, ErrExpands) {
		t.Errorf("more than an int holds: %v", err)
	}
	if err := b.SpendEach(expandBytes/8, 8); err != nil {
		t.Errorf("all of it: %v", err)
	}
	for _, n := range []int{0, 1} {
		if err := b.Spend(n); (err != nil) != (n > 0) {
			t.Errorf("%d of nothing: %v", n, err)
		}
	}
	if NewBudget(10)-NewBudget(0) != 10*expandPerByte {
		t.Error("a longer message may not become more")
	}
}

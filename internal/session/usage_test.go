package session

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUSD(t *testing.T) {
	for _, test := range []struct {
		amount USD
		want   string
	}{
		{0, "0"}, {1, "0.000000001"}, {Dollars(1), "1"}, {Dollars(12.5), "12.5"}, {Dollars(-0.25), "-0.25"},
		{Dollars(0.1) + Dollars(0.2), "0.3"}, {Dollars(1234567.123456789), "1234567.123456789"}, {Dollars(100), "100"},
	} {
		if got := test.amount.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
		text, err := json.Marshal(test.amount)
		if err != nil || string(text) != test.want {
			t.Errorf("JSON %s, %v; want %s", text, err, test.want)
		}
		var back USD
		if err := json.Unmarshal(text, &back); err != nil || back != test.amount {
			t.Errorf("%s read again: %d, %v", text, back, err)
		}
	}
	var none USD
	if err := json.Unmarshal([]byte(`"much"`), &none); err == nil {
		t.Error("no error for what is no amount")
	}
}

func TestDollarsThatAreNone(t *testing.T) {
	for n, want := range map[float64]USD{math.Inf(1): 9e18, 1e300: 9e18, math.Inf(-1): -9e18} {
		if got := Dollars(n); got != want {
			t.Errorf("%g: %d, want %d", n, got, want)
		}
	}
	if got := Dollars(math.NaN()); got != 0 {
		t.Errorf("NaN: %d", got)
	}
}

func TestSums(t *testing.T) {
	u := Usage{1, 2, 3, 4, 5, 6, false, true}
	u.Add(Usage{10, 20, 30, 40, 50, 60, true, false})
	if diff := cmp.Diff(Usage{11, 22, 33, 44, 55, 66, true, true}, u); diff != "" {
		t.Error(diff)
	}
	if u.Total() != 110 {
		t.Errorf("total %d", u.Total())
	}
	c := Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	c.Add(Counts{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	if diff := cmp.Diff(Counts{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, c); diff != "" {
		t.Error(diff)
	}
}

package session

import (
	"encoding/json"
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	moment := time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC)
	for text, want := range map[string]Time{
		"2026-02-03T04:05:06.789Z":       TimeOf(moment),
		"2026-02-03T04:05:06.789999999Z": TimeOf(moment),
		"2026-02-03T06:05:06.789+02:00":  TimeOf(moment),
		"2026-02-03T04:05:06Z":           TimeOf(moment) - 789,
		"1770091506":                     TimeOf(moment) - 789,
		"1770091506.789":                 TimeOf(moment),
		"1770091506789":                  TimeOf(moment),
		"1770091506789123":               TimeOf(moment),
		"1770091506789123456":            TimeOf(moment),
	} {
		if got, ok := ParseTime(text); !ok || got != want {
			t.Errorf("%s: %s, %t; want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "yesterday", "-5", "0", "NaN", "Inf", "+Inf", "1e300", "1e21", "2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z"} {
		if got, ok := ParseTime(text); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"1770091506789", "2026-02-03T04:05:06.789Z", "1e20", "Inf", "0x1p70"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseTime(text)
		if !ok {
			return
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var back Time
		if err := json.Unmarshal(written, &back); err != nil || back != got {
			t.Errorf("%q: %s, read again %s: %v", text, got, back, err)
		}
	})
}

func TestTimeInJSON(t *testing.T) {
	for _, test := range []struct {
		time Time
		want string
	}{{0, "null"}, {1_770_091_506_789, `"2026-02-03T04:05:06.789Z"`}, {1_770_091_506_000, `"2026-02-03T04:05:06.000Z"`}} {
		got, err := json.Marshal(test.time)
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
		back := Time(5)
		if err := json.Unmarshal(got, &back); err != nil || back != test.time {
			t.Errorf("%s read again: %d, %v", got, back, err)
		}
	}
	var none Time
	if err := json.Unmarshal([]byte(`"soon"`), &none); err == nil {
		t.Error("no error for what is no time")
	}
}

func TestUnknownTime(t *testing.T) {
	var none Time
	if TimeOf(time.Time{}) != none || !none.Std().IsZero() || none.Day() != "" || none.String() != "" {
		t.Error("the unknown time is some time")
	}
	if got := Time(1_770_091_506_789).Day(); got != "2026-02-03" {
		t.Errorf("day %s", got)
	}
}

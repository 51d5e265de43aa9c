package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONSteersNoTerminal(t *testing.T) {
	value := map[string]string{"title": "a\x1b[31m \u009b31m\u0085 \x7f \u202eb\u2066 \u061c €😀", "ü\u0090": "x"}
	var want map[string]string
	var out strings.Builder
	if err := printJSON(&out, value); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && steers(r) }) || !strings.Contains(out.String(), "€😀") {
		t.Errorf("%q", out.String())
	}
	if err := json.Unmarshal([]byte(out.String()), &want); err != nil || want["title"] != value["title"] || want["ü\u0090"] != "x" {
		t.Errorf("%q: %v", want, err)
	}
}

func TestJSONTextIsTheSameHoweverItIsCut(t *testing.T) {
	const text, want = "\"a\u009b€\u202e😀\x7f\"\n\xff\xc2", "\"a\\u009b€\\u202e😀\\u007f\"\n\xff"
	for n := 1; n <= len(text); n++ {
		var out strings.Builder
		w := &jsonText{w: &out}
		for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
			part := rest[:min(n, len(rest))]
			if wrote, err := w.Write([]byte(part)); wrote != len(part) || err != nil {
				t.Fatalf("%d of %d bytes: %v", wrote, len(part), err)
			}
		}
		if out.String() != want {
			t.Errorf("by %d: %q, want %q", n, out.String(), want)
		}
	}
}

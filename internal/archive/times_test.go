package archive

import "testing"

func TestAWindowBeginsBeforeItEnds(t *testing.T) {
	_, _, err := parseWindow("2026-02-01", "2026-01-01")
	wantCode(t, "a window that ends first", err, CodeArgument)
	_, _, err = parseWindow("yesterday", "")
	wantCode(t, "a time that is none", err, CodeArgument)
	if _, _, err := parseWindow("", "2026-01-01"); err != nil {
		t.Error(err)
	}
}

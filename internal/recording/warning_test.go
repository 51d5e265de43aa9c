package recording

import "testing"

func TestWarningsStayFewAndTellTheRest(t *testing.T) {
	var w Warnings
	for i := range 100 {
		w.Add(WarnBadChunk, int64(i), "chunk %d", i)
	}
	w.Add(WarnTruncated, 7, "cut")
	list := w.List()
	if len(list) != warningsPerCode+2 {
		t.Fatalf("%d warnings", len(list))
	}
	if last := list[len(list)-1]; last != (Warning{WarnBadChunk, -1, "80 more of this kind"}) {
		t.Errorf("last is %+v", last)
	}
	if again := w.List(); len(again) != len(list) {
		t.Errorf("listing again gives %d warnings", len(again))
	}
	if !w.Has(WarnTruncated) || w.Has(WarnChunkCRC) {
		t.Error("Has is wrong")
	}
	if s := list[0].String(); s != "chunk 0 (at byte 0)" {
		t.Errorf("as a line: %q", s)
	}
}

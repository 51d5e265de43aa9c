package archive

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/session"
)

func TestContentFitsItsRoom(t *testing.T) {
	long := strings.Repeat(`"\<é`+"\x00", 5000)
	input, err := json.Marshal(map[string]string{"command": long})
	if err != nil {
		t.Fatal(err)
	}
	parts := []session.Part{
		{Type: session.Text, Text: "short"},
		{Type: session.ToolCall, Name: "Bash", Input: input},
		{Type: session.Text, Text: long},
		{Type: session.Text, Text: "last"},
	}
	for _, most := range []int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000} {
		space := &room{left: most}
		fitting := space.fit(parts, 0)
		text, err := json.Marshal(fitting)
		if err != nil {
			t.Fatalf("in %d bytes: %v", most, err)
		}
		// The last part may be over by what it is without its text.
		if int64(len(text)) > most+100 {
			t.Errorf("%d bytes in a room of %d", len(text), most)
		}
		if whole := most == 1_000_000; space.cut == whole {
			t.Errorf("in %d bytes: cut is %v", most, space.cut)
		}
	}
}

func TestPreviewsAreCutOneByOne(t *testing.T) {
	space := &room{left: defaultMaxBytes}
	got := space.fit([]session.Part{{Text: strings.Repeat("a", 3000)}, {Text: "b"}}, session.MaxPreview)
	if len(got[0].Text) > session.MaxPreview || got[1].Text != "b" || !space.cut {
		t.Errorf("texts of %d and %d bytes, cut %v", len(got[0].Text), len(got[1].Text), space.cut)
	}
}

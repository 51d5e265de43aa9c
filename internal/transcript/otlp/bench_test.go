package otlp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tapedeck/internal/transcript"
)

// BenchmarkLongConversation reads and interprets a session of 200 calls, each of
// which repeats the history.
func BenchmarkLongConversation(b *testing.B) {
	var lines, history strings.Builder
	words := strings.Repeat("some words of a message ", 40)
	for n := 1; n <= 200; n++ {
		if n > 1 {
			history.WriteByte(',')
		}
		fmt.Fprintf(&history, `{"role":"user","parts":[{"type":"text","content":"%d %s"}]}`, n, words)
		input := text("gen_ai.input.messages", "["+history.String()+"]")
		fmt.Fprintf(&history, `,{"role":"assistant","parts":[{"type":"text","content":"%d %s"}]}`, n, words)
		lines.WriteString(request(spanText(traceA, n, 0, input, text("gen_ai.operation.name", "chat"), inSession("s"))) + "\n")
	}
	path := save(b, "t.jsonl", lines.String())
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		s := newTape()
		readFrom(b, path, transcript.Cursor{}, s)
		if got := len(script(interpret(b, s.ordered("s")))); got != 400 {
			b.Fatalf("%d events, want 400", got)
		}
	}
}

package archive

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/transcript/claudecode"
)

// TestMemoryIsBounded imports lines of 64 MB, images and a tool's result, among others
// in a process of its own, since memory is a process' as a whole.
func TestMemoryIsBounded(t *testing.T) {
	const bound = 300 << 10 // in KB
	logs, data := t.TempDir(), t.TempDir()
	claudeLogs{sessions: 20, turns: 20, filler: 20_000}.write(t, logs)
	s := newClaudeSession(99, 0)
	s.turn(0)
	for range 3 {
		s.line("user", map[string]any{"message": map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": "Look at this"},
			map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": randomImage(48 << 20)}},
		}}})
	}
	s.line("user", map[string]any{"message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": "none", "content": strings.Repeat("a line of what the tool gave, with its end\n", (56<<20)/43)},
	}}})
	s.line("user", map[string]any{"message": map[string]any{"role": "user", "content": strings.Repeat("a line of what a person pasted, with its end\n", (40<<20)/46)}})
	s.turn(1)
	writeLines(t, filepath.Join(logs, s.id+".jsonl"), s.lines)

	told, err := importElsewhere(data, logs).Output()
	if err != nil {
		t.Fatal(err)
	}
	var peak int
	if _, rest, ok := strings.Cut(string(told), "VmHWM:"); !ok {
		t.Log("the system does not tell how much memory a process took: that is not checked")
	} else if _, err := fmt.Sscanf(rest, "%d kB", &peak); err != nil {
		t.Fatal(err)
	}
	t.Logf("peak: %d MB", peak>>10)
	if peak > bound {
		t.Errorf("the import took %d MB, want at most %d", peak>>10, bound>>10)
	}
	a := openArchive(t, data, claudecode.New())
	if got, err := a.Session(t.Context(), s.id); err != nil || got.Counts.Prompts != 6 {
		t.Errorf("the session with the long lines: %+v (%v)", got, err)
	}
}

// randomImage is base64 of bytes that no compression makes smaller.
func randomImage(bytes int) string {
	image := make([]byte, bytes)
	var seed [32]byte
	_, _ = rand.NewChaCha8(seed).Read(image) // never fails
	return base64.StdEncoding.EncodeToString(image)
}

package archive

import (
	"bufio"
	"math/rand/v2"
	"testing"
	"time"

	"tapedeck/internal/transcript/claudecode"
)

// TestKillsLoseNothing kills imports at any moment, also while the store is
// made, and imports again.
func TestKillsLoseNothing(t *testing.T) {
	const stores, kills = 5, 10
	logs := t.TempDir()
	claudeLogs{sessions: 60, turns: 12, filler: 3000}.write(t, logs)
	whole := openArchive(t, t.TempDir(), claudecode.New())
	began := time.Now()
	imported(t, whole, logs)
	took := time.Since(began)
	want := dumpOf(t, whole)

	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5))
	for range stores {
		data := t.TempDir()
		ended := 0
		for range kills {
			if killImport(t, data, logs, time.Duration(random.Int64N(int64(took)/kills*2+1))) {
				ended++
			}
		}
		t.Logf("%d of %d imports were over before they were killed", ended, kills)
		a := openArchive(t, data, claudecode.New())
		imported(t, a, logs)
		sameDump(t, want, dumpOf(t, a))
		sound(t, a)
	}
}

// killImport kills an import some time after it began, or before; true when it
// had ended by itself.
func killImport(t *testing.T, data, logs string, after time.Duration) bool {
	t.Helper()
	cmd := importElsewhere(data, logs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after%7 > 0 { // else while the store is opened
		bufio.NewScanner(out).Scan()
	}
	time.Sleep(after)
	_ = cmd.Process.Kill() // it may have ended
	err = cmd.Wait()
	if err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("an import failed by itself: %v", err)
	}
	return err == nil
}

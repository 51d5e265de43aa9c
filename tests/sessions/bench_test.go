//go:build unix

package sessions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/archive"
	"tapedeck/internal/sessiontest"
)

// program builds tapedeck for the time of a benchmark.
func program(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "tapedeck")
	if out, err := exec.Command("go", "build", "-o", path, "tapedeck/cmd/tapedeck").CombinedOutput(); err != nil {
		b.Fatalf("build tapedeck: %v\n%s", err, out)
	}
	return path
}

// importer is the command that imports logs into the store in a folder.
func importer(program, dir, logs string) *exec.Cmd {
	cmd := exec.Command(program, "import", logs)
	cmd.Env = append(os.Environ(), "TAPEDECK_STORE_DIR="+dir, "HOME="+dir, "TAPEDECK_POSTGRES=")
	return cmd
}

func runImport(b *testing.B, program, dir, logs string) *os.ProcessState {
	b.Helper()
	cmd := importer(program, dir, logs)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("import: %v\n%s", err, out)
	}
	return cmd.ProcessState
}

// peakMB is the most memory that an ended process had.
func peakMB(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // counts bytes, the others kilobytes
		return float64(usage.Maxrss) / (1 << 20)
	}
	return float64(usage.Maxrss) / (1 << 10)
}

func sizeOf(b *testing.B, paths []string) (bytes int64) {
	b.Helper()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

// BenchmarkImportProgram is `tapedeck import` of 250 MB into a new SQLite store,
// to the last derived session; the aims are 25 MB/s and 300 MB of memory (issue 3).
func BenchmarkImportProgram(b *testing.B) {
	tapedeck, logs := program(b), b.TempDir()
	paths, err := sessiontest.Logs{Sessions: 250, Turns: 80, Prompt: 400, Result: 6500}.Write(logs)
	if err != nil {
		b.Fatal(err)
	}
	size, peak, worked := sizeOf(b, paths), 0.0, time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		b.StartTimer()
		ended := runImport(b, tapedeck, dir, logs)
		peak, worked = max(peak, peakMB(ended)), worked+ended.UserTime()+ended.SystemTime()
	}
	b.SetBytes(size)
	b.ReportMetric(float64(size)/1e6, "MB")
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(worked.Seconds()/float64(b.N), "cpu-s/op") // tells more than the time where others are at work
}

// thousand are 1,000 files, of which an import into dir knows all.
func thousand(b *testing.B, tapedeck string) (dir, logs string, paths []string) {
	b.Helper()
	dir, logs = b.TempDir(), b.TempDir()
	paths, err := sessiontest.Logs{Sessions: 750, Turns: 2, Prompt: 400, Result: 1000}.Write(logs)
	if err != nil {
		b.Fatal(err)
	}
	runImport(b, tapedeck, dir, logs)
	return dir, logs, paths
}

// BenchmarkImportProgramAgain is `tapedeck import` of 1,000 files in which
// nothing is new; the aim is 300 ms (issue 3).
func BenchmarkImportProgramAgain(b *testing.B) {
	tapedeck := program(b)
	dir, logs, _ := thousand(b, tapedeck)
	for b.Loop() {
		runImport(b, tapedeck, dir, logs)
	}
}

// BenchmarkImportProgramGrown is `tapedeck import` of 1,000 files of which one
// has a line more.
func BenchmarkImportProgramGrown(b *testing.B) {
	tapedeck := program(b)
	dir, logs, paths := thousand(b, tapedeck)
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		appendPrompt(b, paths[0], n)
		b.StartTimer()
		runImport(b, tapedeck, dir, logs)
	}
}

// appendPrompt adds a line to a log of Claude Code.
func appendPrompt(b *testing.B, path string, n int) {
	b.Helper()
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	at := time.Date(2027, 1, 1, 0, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, `{"type":"user","uuid":"more-%d","parentUuid":null,"sessionId":%q,"timestamp":%q,"message":{"role":"user","content":"go on %d"}}`+"\n", n, id, at, n); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkHistory is a session of 500 turns as OpenTelemetry has it, each model
// call with the whole history before it: what it takes in both stores, derived
// spans included, beside the bytes of its distinct messages. The aim for the raw
// log is 3 times (issue 3).
func BenchmarkHistory(b *testing.B) {
	path, messages, requests := history(b, 500)
	for i, name := range []string{"SQLite", "PostgreSQL"} {
		b.Run(name, func(b *testing.B) {
			var times float64
			for b.Loop() {
				b.StopTimer()
				s := bothSides(b)[i]
				before, err := s.store.Info(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				s.take(b, archive.ImportRequest{Paths: []string{path}})
				b.StopTimer()
				after, err := s.store.Info(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				times = float64(after.Bytes-before.Bytes) / float64(messages)
				b.StartTimer()
			}
			b.ReportMetric(times, "×messages")
			b.ReportMetric(float64(requests)/1e6, "MB-of-requests")
		})
	}
}

// history writes an OTLP file of one conversation, and returns the bytes of its
// distinct messages, and of the file.
func history(b *testing.B, turns int) (path string, messages, requests int) {
	b.Helper()
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	random := rand.New(rand.NewPCG(1, 2))
	say := func(role string) message {
		var text strings.Builder
		for size := 500 + random.IntN(2500); text.Len() < size; {
			text.WriteString([]string{"read ", "the ", "file ", "test ", "upload ", "retry ", "store "}[random.IntN(7)])
			fmt.Fprintf(&text, "%x ", random.IntN(1<<20))
		}
		m := message{role, []part{{"text", text.String()}}}
		messages += len(asJSON(b, m))
		return m
	}
	var file strings.Builder
	var said []message
	for n := range turns {
		said = append(said, say("user"))
		answer := say("assistant")
		attribute := func(key string, value any) map[string]any {
			text, ok := value.(string)
			if !ok {
				text = asJSON(b, value)
			}
			return map[string]any{"key": key, "value": map[string]any{"stringValue": text}}
		}
		span := map[string]any{
			"traceId": fmt.Sprintf("%032x", n+1), "spanId": fmt.Sprintf("%016x", n+1), "name": "chat made-up", "kind": 3,
			"startTimeUnixNano": fmt.Sprint(1_760_000_000_000_000_000 + n*60_000_000_000), "endTimeUnixNano": fmt.Sprint(1_760_000_005_000_000_000 + n*60_000_000_000),
			"attributes": []any{
				attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.conversation.id", "conversation"), attribute("gen_ai.request.model", "made-up"),
				attribute("gen_ai.input.messages", said), attribute("gen_ai.output.messages", []message{answer}),
			},
		}
		file.WriteString(asJSON(b, map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": []any{span}}}}}}) + "\n")
		said = append(said, answer)
	}
	path = filepath.Join(b.TempDir(), "spans.jsonl")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, messages, file.Len()
}

func asJSON(b *testing.B, value any) string {
	b.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

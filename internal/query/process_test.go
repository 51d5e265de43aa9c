package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestWorkerStartedByHand(t *testing.T) {
	cmd := exec.Command(os.Args[0], WorkerArg)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "started by hand") {
		t.Errorf("got %v: %s", err, out)
	}
}

func TestWorkerEndsWithItsParentEvenWhenBusy(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	w, err := p.startWorker(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	q := statement{SQL: "SELECT list_reduce(range(50000000), lambda a, b: a + b)", MaxRows: 1, MaxBytes: 100}
	if err := writeJSONFrame(w.requests, statementFrame, q); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	w.requests.Close() // what the system does when the parent dies
	select {
	case <-w.exited:
	case <-time.After(3 * time.Second):
		t.Error("the worker still runs")
	}
}

func TestWorkerThatIsNone(t *testing.T) {
	p, err := NewPool(Options{Executable: "/bin/true"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := ask(p, &Catalog{}, "SELECT 1"); !errors.Is(err, ErrWorker) {
		t.Errorf("got %v", err)
	}
}

func TestWorkerInheritsNoEnvironment(t *testing.T) {
	t.Setenv("TAPEDECK_TOKEN", "s3cret")
	p, c := testPool(t, Options{}), testCatalog(t)
	w, err := p.startWorker(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", w.cmd.Process.Pid))
	if err != nil {
		t.Skip("the system does not show a process's environment:", err)
	}
	if got := string(environment); got != "MALLOC_ARENA_MAX=2\x00" {
		t.Errorf("environment: %q", got)
	}
}

func TestFrames(t *testing.T) {
	var pipe bytes.Buffer
	if err := writeFrame(&pipe, rowsFrame, []byte("[1]\n")); err != nil {
		t.Fatal(err)
	}
	if kind, payload, err := readFrame(&pipe); kind != rowsFrame || string(payload) != "[1]\n" || err != nil {
		t.Errorf("got %c %q %v", kind, payload, err)
	}
	for name, bytes := range map[string]string{
		"cut head":     "\x00\x00",
		"cut payload":  "\x00\x00\x00\x05Rabc",
		"huge payload": "\xff\xff\xff\xffR",
	} {
		if _, _, err := readFrame(strings.NewReader(bytes)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFramesThatAWorkerShouldNotSend(t *testing.T) {
	for name, frame := range map[string]struct {
		kind    frameKind
		payload string
	}{
		"unknown kind":    {'?', ""},
		"columns no JSON": {columnsFrame, "{"},
	} {
		if err := deliver(frame.kind, []byte(frame.payload), noRows{}); !errors.Is(err, ErrWorker) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFailuresKeepTheirKind(t *testing.T) {
	for _, err := range []error{ErrRefused, ErrSQL, ErrTimeout, ErrMemory, ErrWorker, &MissingTableError{Table: "t", Text: "no t"}} {
		wire, fail := json.Marshal(failureOf(err))
		if fail != nil {
			t.Fatal(fail)
		}
		var back failure
		if err := json.Unmarshal(wire, &back); err != nil {
			t.Fatal(err)
		}
		sentinel := err
		if errors.Is(err, ErrMissingTable) {
			sentinel = ErrMissingTable
		}
		if got := back.err(); !errors.Is(got, sentinel) {
			t.Errorf("%v came back as %v", err, got)
		}
	}
}

func TestEngineTextsAreCleaned(t *testing.T) {
	s := setup{Catalog: Catalog{Files: []File{{Name: "file_1", Path: "/var/cache/deck/a.duckdb"}}}}
	text := "IO Error: Cannot open \"/var/cache/deck/a.duckdb\"\n\nStack Trace:\n\n0x1 duckdb::X"
	if got, want := s.withoutPaths(withoutTrace(text)), `IO Error: Cannot open "file_1"`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

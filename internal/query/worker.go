package query

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
)

// WorkerArg is the first argument with which the program calls itself as a worker.
// main must call WorkerMain when it gets it, before anything else.
const WorkerArg = "__query-worker"

// workerHeapBytes is where Go's own memory in a worker begins to be collected harder;
// DuckDB's is bounded by its own setting.
const workerHeapBytes = 256 << 20

// WorkerMain serves statements until the parent is gone or closes standard input. It
// returns the exit status.
func WorkerMain() int {
	return runWorker(func(s setup) admission { return newGate(&s.Catalog).admit })
}

func runWorker(admit func(setup) admission) int {
	signal.Ignore(os.Interrupt) // a Ctrl-C is for the parent, which ends its workers
	debug.SetMemoryLimit(workerHeapBytes)
	frames, err := takeFrames()
	if err != nil {
		fmt.Fprintln(os.Stderr, "query worker:", err)
		return 1
	}
	requests := readRequests(os.Stdin)
	s := &server{frames: frames}
	err = s.open(<-requests, admit)
	if writeJSONFrame(frames, readyFrame, outcome{Failure: failureOf(err)}) != nil || err != nil {
		return 1
	}
	defer s.db.Close()
	for payload := range requests {
		var q statement
		if err := json.Unmarshal(payload, &q); err != nil {
			return 1
		}
		if s.serve(q) != nil {
			return 1
		}
	}
	return 0
}

func (s *server) open(payload []byte, admit func(setup) admission) error {
	if err := json.Unmarshal(payload, &s.setup); err != nil {
		return fmt.Errorf("reading the setup: %w", err)
	}
	if err := limitResources(s.setup); err != nil {
		return fmt.Errorf("limiting resources: %w", err)
	}
	db, err := openEngine(s.setup)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrWorker, s.setup.withoutPaths(withoutTrace(err.Error())))
	}
	s.db, s.admit = db, admit(s.setup)
	return nil
}

// readRequests gives the payloads of the frames from r. It reads ahead, so that the
// worker ends at once when the parent does, even in the middle of a statement.
func readRequests(r io.Reader) <-chan []byte {
	requests := make(chan []byte, 1)
	go func() {
		in := bufio.NewReader(r)
		for {
			kind, payload, err := readFrame(in)
			if err != nil || kind != setupFrame && kind != statementFrame {
				os.Exit(0)
			}
			requests <- payload
		}
	}()
	return requests
}

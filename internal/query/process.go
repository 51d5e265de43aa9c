package query

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// startTimeout bounds how long a worker may take to attach its table files.
	startTimeout = 60 * time.Second
	// killGrace is how long a worker may take beyond the deadline to say itself that it
	// passed. Some functions don't heed an interrupt.
	killGrace = 250 * time.Millisecond
)

// process is a worker as its parent sees it.
type process struct {
	version  string
	cmd      *exec.Cmd
	requests io.WriteCloser
	frames   *os.File
	reader   *bufio.Reader
	stderr   *tail
	exited   chan struct{}
}

// startProcess starts a worker and waits until it takes statements.
func startProcess(ctx context.Context, executable, arg string, s setup) (*process, error) {
	p := &process{version: s.Catalog.Version, stderr: &tail{}, exited: make(chan struct{})}
	p.cmd = exec.Command(executable, arg)
	p.cmd.Stderr = p.stderr
	// Nothing of the environment is for a process that runs strangers' statements. Fewer of
	// glibc's arenas keep address space for values.
	p.cmd.Env = []string{"MALLOC_ARENA_MAX=2"}
	if root := os.Getenv("SystemRoot"); root != "" { // without it no process starts on Windows
		p.cmd.Env = append(p.cmd.Env, "SystemRoot="+root)
	}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("%w: starting it: %v", ErrWorker, err)
	}
	if err := p.setUp(ctx, s); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

func (p *process) start() (err error) {
	if p.requests, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	frames, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	p.frames, p.reader = frames, bufio.NewReaderSize(frames, 64<<10)
	attachFrames(p.cmd, theirs)
	if err := p.cmd.Start(); err != nil {
		frames.Close()
		return err
	}
	go func() {
		defer close(p.exited)
		p.cmd.Wait() // the status says less than the frames that end
	}()
	return nil
}

func (p *process) setUp(ctx context.Context, s setup) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if err := writeJSONFrame(p.requests, setupFrame, s); err != nil {
		return p.explain(ctx, err)
	}
	kind, payload, err := readFrame(p.reader)
	if err != nil {
		return p.explain(ctx, err)
	}
	var ready outcome
	if err := json.Unmarshal(payload, &ready); err != nil || kind != readyFrame {
		return fmt.Errorf("%w: its first frame is of kind %q", ErrWorker, kind)
	}
	return ready.Failure.err()
}

// ask lets the worker answer q and hands the answer's parts to sink. After an error that
// does not come from the statement itself the worker is dead.
func (p *process) ask(ctx context.Context, q statement, sink Sink) (outcome, error) {
	if q.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(q.TimeoutMS)*time.Millisecond+killGrace)
		defer cancel()
	}
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if err := p.begin(q); err != nil {
		return outcome{}, notBegun(p.explain(ctx, err))
	}
	for {
		kind, payload, err := readFrame(p.reader)
		if err != nil {
			return outcome{}, p.explain(ctx, err)
		}
		if kind == outcomeFrame {
			var o outcome
			if err := json.Unmarshal(payload, &o); err != nil {
				p.kill()
				return outcome{}, fmt.Errorf("%w: %v", ErrWorker, err)
			}
			if !stop() { // the answer and the deadline met
				o.Spoilt = true
			}
			return o, nil
		}
		if err := deliver(kind, payload, sink); err != nil {
			p.kill()
			return outcome{}, err
		}
	}
}

// begin sends q and waits until the worker is at it.
func (p *process) begin(q statement) error {
	if err := writeJSONFrame(p.requests, statementFrame, q); err != nil {
		return err
	}
	kind, _, err := readFrame(p.reader)
	if err == nil && kind != begunFrame {
		err = fmt.Errorf("frame of kind %q", kind)
	}
	return err
}

// notBegunError is a worker that was gone before it began with a statement: an idle one
// dies unseen.
type notBegunError struct{ error }

func (e notBegunError) Unwrap() error { return e.error }

func notBegun(err error) error {
	if errors.Is(err, ErrWorker) {
		return notBegunError{err}
	}
	return err
}

func deliver(kind frameKind, payload []byte, sink Sink) error {
	switch kind {
	case columnsFrame:
		var c columns
		if err := json.Unmarshal(payload, &c); err != nil {
			return fmt.Errorf("%w: %v", ErrWorker, err)
		}
		return sink.Columns(c.Names, c.Types)
	case rowsFrame:
		for row := range bytes.Lines(payload) {
			if err := sink.Row(bytes.TrimSuffix(row, []byte("\n"))); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%w: frame of kind %q", ErrWorker, kind)
	}
}

// explain says why the worker is gone.
func (p *process) explain(ctx context.Context, err error) error {
	p.kill()
	<-p.exited
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ErrTimeout
	case ctx.Err() != nil:
		return ctx.Err()
	case p.stderr.mentions("out of memory", "cannot allocate memory", "failed to create new OS thread", "bad_alloc"):
		return fmt.Errorf("%w: the worker had to be replaced", ErrMemory)
	default:
		return fmt.Errorf("%w: it ended while answering (%v); it is replaced, ask again", ErrWorker, err)
	}
}

// alive says whether the process still runs.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// kill ends the process at once. It may be called twice and by several goroutines.
func (p *process) kill() {
	p.cmd.Process.Kill() // fails only when it has ended already
	p.requests.Close()
}

// close ends the process and gives back what the parent holds of it, once nobody reads from it.
func (p *process) close() {
	p.kill()
	<-p.exited
	p.frames.Close()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

func (t *tail) mentions(phrases ...string) bool {
	text := []byte(t.String())
	for _, phrase := range phrases {
		if bytes.Contains(text, []byte(phrase)) {
			return true
		}
	}
	return false
}

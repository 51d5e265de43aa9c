package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine bounds a message, far above what any tool takes.
	maxLine = 16 << 20
	// answerTimeout is how long calls may run on after the client's last word.
	answerTimeout = 30 * time.Second
	// lookEvery is how often it is checked meanwhile that someone still listens.
	lookEvery = 200 * time.Millisecond
)

// A lines transport is a client that sends and receives one message a line.
//
// The SDK's own ends the conversation at the first line that is no JSON-RPC,
// and drops running calls when the client has nothing more to say. Here the one
// is answered with an error, and the other waited for: a script that pipes its
// requests in closes its end right behind them.
type lines struct {
	ctx  context.Context // ends the conversation
	in   io.Reader
	out  io.Writer
	gone func() bool // whether nobody reads out any more
}

// Connect implements [mcp.Transport].
func (t *lines) Connect(ctx context.Context) (mcp.Connection, error) {
	out := &sharedWriter{w: t.out}
	sdk := &mcp.IOTransport{Reader: &sieve{in: bufio.NewReaderSize(t.in, 64<<10), out: out}, Writer: out, MaxLineLength: -1}
	inner, err := sdk.Connect(ctx)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(t.ctx, func() { _ = inner.Close() }) // its Read returns then
	return &patient{Connection: inner, ctx: t.ctx, gone: t.gone, answered: make(chan struct{}, 1)}, nil
}

// A patient connection tells of the end of the input when all calls are answered.
type patient struct {
	mcp.Connection
	ctx      context.Context
	gone     func() bool
	answered chan struct{}

	mu      sync.Mutex
	pending int
}

// Read implements [mcp.Connection].
func (p *patient) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := p.Connection.Read(ctx)
	if err != nil {
		p.await()
		return nil, err
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		p.add(1)
	}
	return m, nil
}

// Write implements [mcp.Connection].
func (p *patient) Write(ctx context.Context, m jsonrpc.Message) error {
	err := p.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		p.add(-1)
		select {
		case p.answered <- struct{}{}:
		default: // it is known already
		}
	}
	return err
}

// add changes how many calls have no answer yet, and returns that.
func (p *patient) add(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending += n
	return p.pending
}

// await returns when nothing is left to wait for.
func (p *patient) await() {
	timeout := time.NewTimer(answerTimeout)
	defer timeout.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for p.add(0) > 0 && !p.gone() {
		select {
		case <-p.answered:
		case <-look.C:
		case <-timeout.C:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// A sieve lets the lines through that are messages, and answers the others.
type sieve struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of a line that is let through
}

// Read implements [io.Reader].
func (s *sieve) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.line()
		if line = bytes.TrimSpace(line); len(line) == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		if fault := faultOf(line); fault != nil {
			if err := s.answer(fault); err != nil {
				return 0, err
			}
			continue
		}
		s.rest = append(line, '\n')
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements [io.Closer]. The input belongs to the caller.
func (*sieve) Close() error { return nil }

// line returns the next line, or as much of it as shows that it is too long. The
// last one may come without an end.
func (s *sieve) line() (line []byte, err error) {
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// A fault is why a line is no message.
type fault struct {
	ID    json.RawMessage `json:"id"` // of the line, null where it can't be read
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func newFault(code int, format string, args ...any) *fault {
	f := &fault{ID: json.RawMessage("null")}
	f.Error.Code, f.Error.Message = code, fmt.Sprintf(format, args...)
	return f
}

func (s *sieve) answer(f *fault) error {
	text, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		*fault
	}{"2.0", f})
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(text, '\n'))
	return err
}

// faultOf is nil for a message, and for a batch of such.
func faultOf(line []byte) *fault {
	switch {
	case len(line) > maxLine:
		return newFault(jsonrpc.CodeInvalidRequest, "the message is over %d bytes", maxLine).of(line)
	case !json.Valid(line):
		return newFault(jsonrpc.CodeParseError, "the line is no JSON; send one message a line")
	case line[0] != '[':
		return faultOfMessage(line)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		return newFault(jsonrpc.CodeInvalidRequest, "the batch is empty")
	}
	seen := map[jsonrpc.ID]bool{}
	for _, m := range batch {
		if f := faultOfMessage(m); f != nil {
			return f
		}
		m, _ := jsonrpc.DecodeMessage(m)
		if call, ok := m.(*jsonrpc.Request); ok && seen[call.ID] {
			return newFault(jsonrpc.CodeInvalidRequest, "the batch has the id %v twice", call.ID.Raw())
		} else if ok && call.IsCall() {
			seen[call.ID] = true
		}
	}
	return nil
}

func faultOfMessage(text []byte) *fault {
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return newFault(jsonrpc.CodeInvalidRequest, `this is no JSON-RPC 2.0 message; send one such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}`).of(text)
	}
	return nil
}

// of gives the fault the id of an object, of which only the beginning may be there:
// a client waits for the answer to that.
func (f *fault) of(text []byte) *fault {
	in := json.NewDecoder(bytes.NewReader(text))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return f
	}
	for {
		key, err := in.Token()
		var value json.RawMessage
		if err != nil || in.Decode(&value) != nil {
			return f
		}
		if key == "id" {
			if isID := value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9'; isID {
				f.ID = value
			}
			return f
		}
	}
}

// A sharedWriter takes whole lines from several writers. It can't be closed: stdout
// is given back.
type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (s *sharedWriter) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(line)
}

// Close implements [io.Closer].
func (*sharedWriter) Close() error { return nil }

package provide

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// FreeAddress is a loopback address that nobody listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// startTime is how long a server may take until it answers.
const startTime = time.Minute

// Background runs cmd beside the tests and waits until answers says that it can be
// used. It returns what ends it.
func (p Provider) Background(ctx context.Context, cmd *exec.Cmd, answers func(context.Context) error) (stop func(), err error) {
	name := filepath.Base(cmd.Path)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	Confine(cmd)
	cmd.WaitDelay = Patience
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // however it ends, it has ended
		close(ended)
	}()
	stop = func() {
		_ = signalGroup(cmd.Process, syscall.SIGINT) // it may have ended
		select {
		case <-ended:
		case <-time.After(Patience):
			_ = signalGroup(cmd.Process, syscall.SIGKILL)
			<-ended
		}
	}
	if err := await(ctx, ended, answers); err != nil {
		stop()
		return nil, fmt.Errorf("%s: %w\n%s", name, err, bytes.TrimSpace(log.Bytes()))
	}
	return stop, nil
}

// await waits until a server answers.
func await(ctx context.Context, ended <-chan struct{}, answers func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		err := answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errors.New("it ended by itself")
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

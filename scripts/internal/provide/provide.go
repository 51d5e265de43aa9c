// Package provide is what commands have in common that run another command with
// something that its tests need, such as a server:
//
//	go run ./scripts/embedder -- go test ./tests/embedders
//
// # What it promises
//
// What was started ends with the command, also when that fails, is interrupted, or
// its parent is killed. The exit status is the command's.
package provide

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// A Server is one that tests can use.
type Server struct {
	Value string // of the variable by which the tests find it
	Stop  func() // ends it, if it was started here
}

// A Provider finds or starts a server.
type Provider struct {
	Name     string // of the command
	Variable string // names the server to the tests
	Start    func(context.Context) (*Server, error)
}

// Main runs the command that the program's arguments name, and exits.
func (p Provider) Main() {
	// Children are bound to the thread that started them (see Confine).
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := p.run(whileParentLives(ctx), os.Args[1:])
	stop()
	if err != nil {
		p.Say("%v", err)
	}
	os.Exit(code)
}

// Say tells people what is done.
func (p Provider) Say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, p.Name+": "+format+"\n", args...)
}

// run runs the command that args name, and returns its exit status.
func (p Provider) run(ctx context.Context, args []string) (int, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 2, fmt.Errorf("name a command to run: go run ./scripts/%s -- COMMAND [ARGUMENT…]", p.Name)
	}
	server, err := p.Start(ctx)
	if err != nil {
		return 1, err
	}
	defer server.Stop()
	return command(ctx, args, p.Variable+"="+server.Value)
}

// whileParentLives is ctx until the parent process is gone: who kills `go run`
// means this command.
func whileParentLives(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
		cancel()
	}()
	return ctx
}

// Patience is how long a process may take to end after it was asked to.
const Patience = 10 * time.Second

// command runs args until they end. When ctx ends first, the command and all it
// started are interrupted, and killed if that is not enough.
func command(ctx context.Context, args []string, env string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	Confine(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process, syscall.SIGINT) }
	cmd.WaitDelay = Patience
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = signalGroup(cmd.Process, syscall.SIGKILL) // what it left behind, if anything
		}
		return 1, errors.New("interrupted")
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("run the tests: %w", err)
	}
	return 0, nil
}

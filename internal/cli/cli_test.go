package cli

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"tapedeck/internal/deck"
	"tapedeck/internal/embed/embedtest"
	"tapedeck/internal/query"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == query.WorkerArg { // started by a deck in here
		os.Exit(query.WorkerMain())
	}
	testscript.Main(m, map[string]func(){
		"tapedeck": func() { os.Exit(Main(os.Args[1:])) },
	})
}

// TestScripts runs the program itself as testdata/*.txtar says.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/home/.config")
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/home/.cache")
			env.Setenv("XDG_DATA_HOME", "")
			programs, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("PROGRAMS", programs) // where tapedeck is alone
			return os.MkdirAll(env.WorkDir+"/home", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "lines": lines, "truncate": truncate, "ollama": startOllama,
		},
	})
}

// exits CODE COMMAND… runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// lines N FILE checks how many lines a file has.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	if n := strings.Count(ts.ReadFile(args[1]), "\n"); fmt.Sprint(n) != args[0] {
		ts.Fatalf("%d lines, want %s", n, args[0])
	}
}

// startOllama starts an Ollama without any model, and puts its address into $OLLAMA.
func startOllama(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: ollama")
	}
	server := httptest.NewServer(embedtest.NewLibrary())
	ts.Defer(server.Close)
	ts.Setenv("OLLAMA", server.URL)
}

// truncate FILE N cuts a file off behind N bytes.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// TestEveryCommandHelps: each has a short text, an example that begins with the
// program's name, and arguments that are checked.
func TestEveryCommandHelps(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		group := cmd.HasSubCommands() && cmd.Name() != "mcp"
		if cmd.Short == "" || cmd.Args == nil {
			t.Errorf("%s: no short text or no check of arguments", cmd.CommandPath())
		}
		if !group && !strings.HasPrefix(cmd.Example, "  tapedeck ") {
			t.Errorf("%s: no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&app{}))
}

func TestInterrupted(t *testing.T) {
	withoutSettings(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errOut strings.Builder
	a := &app{err: &errOut, open: func(deck.Options) (openedDeck, error) {
		return &fakeDeck{err: &deck.Error{Code: deck.CodeCancelled, Message: "cancelled", Err: ctx.Err()}}, nil
	}}
	if code := a.run(ctx, []string{"info", "a.mcap"}); code != exitFailed || errOut.String() != "tapedeck: interrupted\n" {
		t.Errorf("exit code %d, stderr %q", code, errOut.String())
	}
}

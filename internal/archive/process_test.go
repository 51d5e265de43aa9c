package archive

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"tapedeck/internal/store/open"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/claudecode"
)

// dataVariable has a process of these tests import into the store there.
const dataVariable = "TAPEDECK_TEST_IMPORT_INTO"

func TestMain(m *testing.M) {
	if data := os.Getenv(dataVariable); data != "" {
		if err := importHere(data, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// importElsewhere is a process that imports logs.
func importElsewhere(data, logs string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], logs)
	cmd.Env = append(os.Environ(), dataVariable+"="+data)
	cmd.Stderr = os.Stderr
	return cmd
}

// importHere is what that process does. It says when it begins, and in the end
// what the system knows of it.
func importHere(data, logs string) error {
	TuneForImport()
	ctx := context.Background()
	s, err := open.Open(ctx, open.Options{Dir: data})
	if err != nil {
		return err
	}
	a, err := Open(ctx, Options{Store: s, Importers: []transcript.Importer{claudecode.New()}})
	if err != nil {
		return err
	}
	fmt.Println("importing")
	result, err := a.Import(ctx, ImportRequest{Paths: []string{logs}}, nil)
	if err != nil {
		return err
	}
	if result.Lossy() {
		return fmt.Errorf("something was lost: %+v", result)
	}
	if peak, err := os.ReadFile("/proc/self/status"); err == nil { // Linux has it
		fmt.Printf("%s\n", peak)
	}
	return a.Close()
}

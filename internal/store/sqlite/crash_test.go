package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// crashPath names the variable that makes the test binary write into a store
// until it is killed.
const crashPath = "TAPEDECK_TEST_CRASH"

// crashRef is the stream of one run of the child.
func crashRef(pid int) session.Ref {
	return session.Ref{Harness: "claude-code", Key: fmt.Sprint("run of ", pid)}
}

// crashRecord is the i-th record of a run, now and then a long one.
func crashRecord(i int) session.Record {
	text := fmt.Sprintf("record %d ", i)
	return session.Record{Key: fmt.Sprint(i), Order: int64(i + 1), Body: bytes.Repeat([]byte(text), 1+i%7*i%9*300)}
}

// crashingChild appends and projects; what was acknowledged it prints.
func crashingChild(path string) {
	ctx := context.Background()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s, err := Open(ctx, path, Options{})
	if err != nil {
		fail(err)
	}
	ref := crashRef(os.Getpid())
	for i := 0; ; i++ {
		source := store.Source{Path: ref.Key, Offset: int64(i)}
		b := store.Batch{Source: &source, Streams: []store.StreamRecords{{Ref: ref, Records: []session.Record{crashRecord(i)}}}}
		if _, err := s.Append(ctx, b); err != nil {
			fail(err)
		}
		fmt.Println(i)
		if i%3 != 0 {
			continue
		}
		pending, err := s.Pending(ctx, "d", 1)
		for _, stream := range pending {
			p := session.Projection{Sessions: []session.ProjectedSession{benchSession(rand.New(rand.NewPCG(1, 1)), stream.Ref, 0)}}
			p.Sessions[0].Session.Usage, p.Sessions[0].Daily = session.Usage{}, nil
			err = s.Project(ctx, stream, "d", p)
		}
		if err != nil {
			fail(err)
		}
	}
}

// A process that is killed at any moment leaves a sound store, with all that was
// acknowledged.
func TestKilled(t *testing.T) {
	const kills = 15
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.db")
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	acknowledged := 0
	for range kills {
		command := exec.Command(program)
		command.Env = append(os.Environ(), crashPath+"="+path)
		var told, complaints bytes.Buffer
		command.Stdout, command.Stderr = &told, &complaints
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(30+random.IntN(150)) * time.Millisecond)
		command.Process.Kill()
		command.Wait()
		if complaints.Len() > 0 {
			t.Fatalf("the child: %s", complaints.String())
		}
		acknowledged += survives(t, path, crashRef(command.Process.Pid), &told)
	}
	if acknowledged == 0 {
		t.Error("no child lived long enough to write anything")
	}
}

// survives checks that the store has what a run printed, and how many that was.
func survives(t *testing.T, path string, ref session.Ref, told *bytes.Buffer) (n int) {
	t.Helper()
	for lines := bufio.NewScanner(told); lines.Scan(); {
		n++
	}
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	problems, err := s.Check(t.Context())
	if err != nil || len(problems) > 0 {
		t.Fatalf("check after %d records: %v, %v", n, problems, err)
	}
	have := 0
	for r, err := range s.Records(t.Context(), ref, session.Place{}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := crashRecord(have); r.Key != want.Key || !bytes.Equal(r.Body, want.Body) {
			t.Fatalf("record %d is %q with %d bytes", have, r.Key, len(r.Body))
		}
		have++
	}
	if have < n {
		t.Errorf("%d records are there, %d were acknowledged", have, n)
	}
	sources, err := s.Sources(t.Context())
	if err != nil || have > 0 && sources[ref.Key].Offset != int64(have-1) {
		t.Errorf("the source was read up to %d, records are there up to %d; %v", sources[ref.Key].Offset, have-1, err)
	}
	return n
}

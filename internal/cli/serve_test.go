package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/deck"
	"tapedeck/internal/store"
)

func TestServeRefusesToBeReachedWithoutAToken(t *testing.T) {
	o := runWith(t, &fakeDeck{}, "", "serve", "--api-listen", "0.0.0.0:0")
	if o.code != exitUsage || !strings.Contains(o.errOut, "--insecure") {
		t.Errorf("exit code %d, stderr %q; want a refusal that names --insecure", o.code, o.errOut)
	}
}

func TestServeAnswersUntilInterrupted(t *testing.T) {
	withoutSettings(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	f, sessions := &fakeDeck{}, &fakeArchive{search: &fakeSearch{}}
	log, errOut := io.Pipe()
	a := &app{out: io.Discard, err: errOut, openArchive: sessions.opened, open: func(opt deck.Options) (openedDeck, error) {
		f.opt = opt
		return f, nil
	}}
	code := make(chan int)
	go func() {
		code <- a.run(ctx, []string{"serve", "--api-listen", "127.0.0.1:0", "--log-format", "json"})
		errOut.Close()
	}()

	lines := bufio.NewScanner(log)
	var line struct{ Msg, URL string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &line) != nil || line.URL == "" {
		t.Fatalf("no address in the log: %s", lines.Text())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	response, err := http.Post(line.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(body), "load_recording") {
		t.Errorf("answer is %s (%v)", body, err)
	}
	interrupt()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d after an interrupt, want 0", got)
	}
	if !f.opt.Confined {
		t.Error("clients could reach files outside of the data folders")
	}
	if !f.closed || !sessions.closed {
		t.Error("the deck or the archive was left open")
	}
	if !sessions.search.ran || !sessions.search.ended {
		t.Error("the index is not kept up to date, or a worker is left behind")
	}
	if !strings.Contains(string(body), `"search"`) {
		t.Errorf("search is not offered: %s", body)
	}
	if !sessions.watched {
		t.Error("agents' sessions are not taken in")
	}
}

func TestRecordingsAreServedWithoutAStore(t *testing.T) {
	withoutSettings(t)
	for _, tt := range []struct {
		args []string
		code int
	}{
		{nil, exitOK},
		{[]string{"--store-dir", "somewhere"}, exitFailed},
		{[]string{"--postgres", "host=db"}, exitFailed},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		opened := func(context.Context, archiveOptions) (openedArchive, error) {
			interrupt() // the server need not serve for long
			return nil, store.ErrUnavailable
		}
		a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, openArchive: opened,
			open: func(deck.Options) (openedDeck, error) { return &fakeDeck{}, nil }}
		if code := a.run(ctx, append([]string{"serve", "--api-listen", "127.0.0.1:0"}, tt.args...)); code != tt.code {
			t.Errorf("serve %v: exit code %d, want %d", tt.args, code, tt.code)
		}
		interrupt()
	}
}

package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Each file of testdata/conversations is a talk with a server on the fake deck:
// what the client sends, a message a line, and what the server answers, as
// indented JSON. It begins with what it protects.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "conversations", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			answers := converse(t, section(archive, "client"))
			if *update {
				archive.Files = []txtar.File{
					{Name: "client", Data: section(archive, "client")},
					{Name: "server", Data: answers},
				}
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := section(archive, "server"); !bytes.Equal(want, answers) {
				t.Errorf("the server answers otherwise; if it should, run go test -update\nwant:\n%s\ngot:\n%s", want, answers)
			}
		})
	}
}

func section(archive *txtar.Archive, name string) []byte {
	for _, file := range archive.Files {
		if file.Name == name {
			return file.Data
		}
	}
	return nil
}

// converse sends messages one after the other, each request once the one
// before it is answered, and returns the answers.
func converse(t *testing.T, messages []byte) []byte {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	session, err := New(&fake{}, Options{Version: "1.2.3", Archive: &fakeArchive{prompt: "fix it", output: "fine"}, Search: &fakeSearch{}}).Connect(t.Context(), &mcp.IOTransport{Reader: fromClient, Writer: toClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		session.Wait()
	})
	lines := bufio.NewReader(fromServer)
	var answers bytes.Buffer
	for message := range bytes.Lines(messages) {
		if _, err := toServer.Write(message); err != nil {
			t.Fatal(err)
		}
		var request struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(message, &request); err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		if request.ID == nil {
			continue
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		answers.Write(indented(t, line))
	}
	return answers.Bytes()
}

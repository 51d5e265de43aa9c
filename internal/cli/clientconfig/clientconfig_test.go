package clientconfig

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var server = Server{Command: "/opt/tapedeck", Args: []string{"mcp", "--data-dir", "/data/a&b"}}

func find(t *testing.T, name string) Client {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesThatAreLeftAlone(t *testing.T) {
	tests := []struct {
		name, content, want string
	}{
		{"comment", "{\n  // mine\n  \"servers\": {}\n}", "line 2"},
		{"trailing comma", "{\n  \"servers\": {},\n}", "line 3"},
		{"cut off", "{\n  \"servers\": {", "too early"},
		{"list", "[]", "want {"},
		{"section is no object", `{"servers": []}`, `"servers" holds no object`},
		{"section is null", `{"servers": null}`, `"servers" holds no object`},
		{"two objects", "{}\n{}", "line 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.content)
			change, err := find(t, "vscode").Plan(path, "tapedeck", server)
			if !errors.Is(err, ErrNotJSON) || change != nil {
				t.Fatalf("Plan = %v, %v; want an ErrNotJSON", change, err)
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q does not say %q and the path", err, tt.want)
			}
		})
	}
}

func TestUnknownClientAndScope(t *testing.T) {
	if _, err := Find("emacs"); !errors.Is(err, ErrUnknownClient) {
		t.Errorf("Find = %v, want ErrUnknownClient", err)
	}
	if _, err := find(t, "claude-desktop").Path(Project, Places{}); !errors.Is(err, ErrNoScope) {
		t.Errorf("Path = %v, want ErrNoScope", err)
	}
}

func TestChangesTouchOneEntry(t *testing.T) {
	const entry = `{
      "command": "/opt/tapedeck",
      "args": [
        "mcp",
        "--data-dir",
        "/data/a&b"
      ]
    }`
	tests := []struct {
		name, before, after string
	}{
		{"no content", "", "{\n  \"mcpServers\": {\n    \"tapedeck\": " + entry + "\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"mcpServers\": {\n    \"tapedeck\": " + entry + "\n  }\n}"},
		{
			"no section",
			"{\n  \"zoom\": 1.50,\n  \"a\": \"\\u00e9\"\n}\n",
			"{\n  \"zoom\": 1.50,\n  \"a\": \"\\u00e9\",\n  \"mcpServers\": {\n    \"tapedeck\": " + entry + "\n  }\n}\n",
		},
		{
			"empty section",
			"{\n  \"mcpServers\": { }\n}",
			"{\n  \"mcpServers\": {\n    \"tapedeck\": " + entry + "\n  }\n}",
		},
		{
			"others stay as they are",
			"{\n  \"mcpServers\": {\n    \"b\": {\"url\":  \"x\" , \"odd\": 1e3},\n    \"a\": {}\n  },\n  \"last\": true\n}",
			"{\n  \"mcpServers\": {\n    \"b\": {\"url\":  \"x\" , \"odd\": 1e3},\n    \"a\": {},\n    \"tapedeck\": " + entry + "\n  },\n  \"last\": true\n}",
		},
		{
			"old entry is replaced where it stands",
			"{\n  \"mcpServers\": {\n    \"tapedeck\": {\"command\": \"old\"},\n    \"a\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"tapedeck\": " + entry + ",\n    \"a\": {}\n  }\n}",
		},
		{
			"the last of two keys counts",
			"{\n  \"mcpServers\": {\n    \"tapedeck\": 1,\n    \"tapedeck\": 2\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"tapedeck\": 1,\n    \"tapedeck\": " + entry + "\n  }\n}",
		},
		{
			"tabs and Windows line ends",
			"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
			strings.ReplaceAll("{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"tapedeck\": "+
				strings.NewReplacer("        ", "\t\t\t\t", "      ", "\t\t\t", "    ", "\t\t").Replace(entry)+"\n\t}\n}\n", "\n", "\r\n"),
		},
		{
			"the same entry, spaced otherwise, is no change",
			`{"mcpServers":{"tapedeck":{"command":"/opt/tapedeck","args":["mcp","--data-dir","/data/a&b"]}}}`,
			`{"mcpServers":{"tapedeck":{"command":"/opt/tapedeck","args":["mcp","--data-dir","/data/a&b"]}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			change, err := find(t, "claude-desktop").Plan(write(t, tt.before), "tapedeck", server)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(change.After)); diff != "" {
				t.Errorf("file differs (-want +got):\n%s", diff)
			}
			if !json.Valid(change.After) {
				t.Error("the changed file is no JSON")
			}
			if same := tt.before == tt.after; change.Empty() != same || (change.Diff() == "") != same {
				t.Errorf("Empty = %v, Diff = %q", change.Empty(), change.Diff())
			}
		})
	}
}

func TestWriteKeepsACopyAndTheMode(t *testing.T) {
	path := write(t, `{"a": 1}`)
	if err := os.WriteFile(path+".bak", []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	change, err := find(t, "cursor").Plan(path, "tapedeck", server)
	if err != nil {
		t.Fatal(err)
	}
	backup, err := change.Write()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{path: string(change.After), backup: `{"a": 1}`, path + ".bak": "earlier"} {
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", file, got, err, want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v, %v; want that of the old file", info.Mode(), err)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(files) != 3 {
		t.Errorf("files left: %q", files)
	}
}

func TestWriteMakesFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "mcp.json")
	change, err := find(t, "vscode").Plan(path, "tapedeck", server)
	if err != nil {
		t.Fatal(err)
	}
	if backup, err := change.Write(); err != nil || backup != "" {
		t.Fatalf("Write = %q, %v", backup, err)
	}
	var file struct{ Servers map[string]Server }
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	want := server
	want.Type = "stdio"
	if diff := cmp.Diff(want, file.Servers["tapedeck"]); diff != "" {
		t.Errorf("entry differs (-want +got):\n%s", diff)
	}
}

func TestWriteRefusesAFileThatChangedMeanwhile(t *testing.T) {
	path := write(t, `{}`)
	change, err := find(t, "cursor").Plan(path, "tapedeck", server)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"new": 1}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := change.Write(); err == nil {
		t.Error("Write wrote over what another program had written")
	}
	if got, _ := os.ReadFile(path); string(got) != `{"new": 1}` {
		t.Errorf("file = %q", got)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	real := write(t, `{}`)
	link := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	change, err := find(t, "cursor").Plan(link, "tapedeck", server)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := change.Write(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if got, _ := os.ReadFile(real); string(got) != string(change.After) {
		t.Errorf("the linked file = %q", got)
	}
}

func TestPaths(t *testing.T) {
	places := Places{Home: "/h", Config: "/c", Project: "/p", Getenv: func(string) string { return "" }}
	tests := []struct {
		client string
		scope  Scope
		want   string
	}{
		{"claude-desktop", User, "/c/Claude/claude_desktop_config.json"},
		{"claude-code", User, "/h/.claude.json"},
		{"claude-code", Project, "/p/.mcp.json"},
		{"cursor", User, "/h/.cursor/mcp.json"},
		{"cursor", Project, "/p/.cursor/mcp.json"},
		{"vscode", User, "/c/Code/User/mcp.json"},
		{"vscode", Project, "/p/.vscode/mcp.json"},
	}
	for _, tt := range tests {
		got, err := find(t, tt.client).Path(tt.scope, places)
		if err != nil || filepath.ToSlash(got) != tt.want {
			t.Errorf("%s, %s: %q, %v; want %q", tt.client, tt.scope, got, err, tt.want)
		}
	}
	places.Getenv = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": "/x"}[name] }
	if got, _ := find(t, "claude-code").Path(User, places); filepath.ToSlash(got) != "/x/.claude.json" {
		t.Errorf("with CLAUDE_CONFIG_DIR: %q", got)
	}
}

func FuzzSetMember(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers":{"tapedeck":1,"b":[{}]},"x":"\u00e9"}`, "{\r\n\t\"mcpServers\": {}\r\n}", `{"a":1,}`, `{"mcpServers":`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		after, err := setMember(text, "mcpServers", "tapedeck", server)
		if err != nil {
			return
		}
		var was, is map[string]any
		if len(strings.TrimSpace(string(text))) > 0 {
			if err := json.Unmarshal(text, &was); err != nil {
				t.Fatalf("%q is no JSON, yet it was changed", text)
			}
		}
		if err := json.Unmarshal(after, &is); err != nil {
			t.Fatalf("%q became %q: %v", text, after, err)
		}
		entry, err := json.Marshal(is["mcpServers"].(map[string]any)["tapedeck"])
		if err != nil {
			t.Fatal(err)
		}
		var got Server
		if err := json.Unmarshal(entry, &got); err != nil || !cmp.Equal(got, server) {
			t.Fatalf("the entry is %s", entry)
		}
		delete(is["mcpServers"].(map[string]any), "tapedeck")
		if servers, ok := was["mcpServers"].(map[string]any); ok {
			delete(servers, "tapedeck")
		} else {
			delete(is, "mcpServers")
		}
		if len(was)+len(is) > 0 && !cmp.Equal(was, is) {
			t.Fatalf("more than the entry changed: %s", cmp.Diff(was, is))
		}
	})
}

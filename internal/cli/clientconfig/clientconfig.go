// Package clientconfig enters an MCP server into the configuration files of MCP
// clients.
//
// # What it does
//
// It knows where a [Client] keeps its file and under which key servers stand,
// plans a [Change], and writes it: into a new file that takes the old one's
// place, after a copy of the old one was put beside it.
//
// # What it does not
//
// It parses no JSON with comments: such a file is refused with [ErrNotJSON], and
// the caller shows what to paste by hand.
//
// # What it promises
//
// A change touches the entry of the server that is named and nothing else: all
// other bytes of the file stay as they are, unknown keys, their order and
// their spacing included.
package clientconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

var (
	// ErrUnknownClient: no client of this name is known. The error lists those that are.
	ErrUnknownClient = errors.New("unknown MCP client")
	// ErrNoScope: the client keeps no file of this scope.
	ErrNoScope = errors.New("the client has no such scope")
	// ErrNotJSON: the file is there and is no JSON, or not of the form that the client reads.
	ErrNotJSON = errors.New("the file can't be changed safely")
)

// Scope says for whom a client uses a file.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // in all folders, for one person
	Project Scope = "project" // in one folder, for all who work there
)

// Client is a program that starts MCP servers.
type Client struct {
	Name  string // as on the command line
	Title string // as people call it

	section string // key of the object that holds the servers
	typed   bool   // entries say "type": "stdio"
	user    func(Places) string
	project string // path in the project's folder; empty: it knows none
}

// Places are the folders in which clients keep their files.
type Places struct {
	Home    string
	Config  string // os.UserConfigDir
	Project string // the working folder
	Getenv  func(string) string
}

var clients = []Client{
	{
		Name: "claude-desktop", Title: "Claude Desktop", section: "mcpServers",
		user: func(p Places) string { return filepath.Join(p.Config, "Claude", "claude_desktop_config.json") },
	},
	{
		Name: "claude-code", Title: "Claude Code", section: "mcpServers", typed: true,
		user: func(p Places) string {
			if dir := p.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, ".claude.json")
			}
			return filepath.Join(p.Home, ".claude.json")
		},
		project: ".mcp.json",
	},
	{
		Name: "cursor", Title: "Cursor", section: "mcpServers",
		user:    func(p Places) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
		project: filepath.Join(".cursor", "mcp.json"),
	},
	{
		Name: "vscode", Title: "VS Code", section: "servers", typed: true,
		user:    func(p Places) string { return filepath.Join(p.Config, "Code", "User", "mcp.json") },
		project: filepath.Join(".vscode", "mcp.json"),
	},
}

// Names are the names of the known clients.
func Names() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.Name
	}
	return names
}

// Find returns the client of a name.
func Find(name string) (Client, error) {
	i := slices.IndexFunc(clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, fmt.Errorf("%w %q", ErrUnknownClient, name)
	}
	return clients[i], nil
}

// Path is where the client keeps its file of a scope.
func (c Client) Path(scope Scope, places Places) (string, error) {
	switch {
	case scope == User:
		return c.user(places), nil
	case scope == Project && c.project != "":
		return filepath.Join(places.Project, c.project), nil
	}
	return "", fmt.Errorf("%w: %s, %s", ErrNoScope, c.Title, scope)
}

// Here returns the places of this machine and user, with the working folder as
// the project's.
func Here() (Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Places{}, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return Places{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return Places{}, err
	}
	return Places{Home: home, Config: config, Project: dir, Getenv: os.Getenv}, nil
}

// Server is how a client starts a server.
type Server struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// entry is the server as this client wants it.
func (c Client) entry(s Server) Server {
	if c.typed {
		s.Type = "stdio"
	}
	return s
}

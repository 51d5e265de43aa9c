// Package local runs, on this machine, services that tapedeck can use and does not
// need: a PostgreSQL with pgvector and an Ollama.
//
// # What it promises
//
// The services listen on loopback, and the database wants a password that is made
// at the first start. Stopping them keeps what they hold, unless told otherwise.
//
// # What it does not
//
// It installs neither Docker nor Ollama, and writes no settings: package cli does.
package local

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoDocker: Docker, or its compose plugin, can't be used here.
var ErrNoDocker = errors.New("docker can't be used")

// Services of the compose file.
const (
	Postgres = "postgres"
	Ollama   = "ollama"
)

// PostgresAddress is where the database listens.
const PostgresAddress = "127.0.0.1:54329"

//go:embed compose.yaml
var composeFile []byte

const (
	composeName = "compose.yaml"
	secretsName = ".env" // where compose looks for what the file leaves open
	passwordKey = "TAPEDECK_LOCAL_PASSWORD"
)

// A Compose runs the services through docker compose.
type Compose struct {
	Dir string    // of the compose file and the password; made when it is not there
	Out io.Writer // what docker says on the way
}

// Usable tells why docker can't be used; nil: it can.
func (c Compose) Usable(ctx context.Context) error {
	if _, err := exec.LookPath("docker"); err != nil {
		return fmt.Errorf("%w: there is no program docker", ErrNoDocker)
	}
	for _, args := range [][]string{{"version", "--format", "{{.Server.Version}}"}, {"compose", "version"}} {
		if out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: docker %s: %s", ErrNoDocker, args[0], said(out, err))
		}
	}
	return nil
}

// Up starts services, and returns when they are ready.
func (c Compose) Up(ctx context.Context, services ...string) error {
	if _, err := c.prepare(); err != nil {
		return err
	}
	return c.run(ctx, append([]string{"up", "--detach", "--wait"}, services...)...)
}

// Down stops the services; with wipe all that they hold goes for good. The password
// stays, as settings may name it.
func (c Compose) Down(ctx context.Context, wipe bool) error {
	if _, err := c.prepare(); err != nil {
		return err
	}
	if wipe {
		return c.run(ctx, "down", "--volumes")
	}
	return c.run(ctx, "down")
}

// A Service is how one of them does.
type Service struct {
	Name   string `json:"Service"`
	State  string `json:"State"`  // running, exited, …
	Health string `json:"Health"` // healthy, starting, …; "": not known
}

// Services are those that there are, running or not.
func (c Compose) Services(ctx context.Context) ([]Service, error) {
	if _, err := os.Stat(filepath.Join(c.Dir, composeName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // never started
	}
	out, err := c.command(ctx, "ps", "--all", "--format", "json").Output()
	if err != nil {
		return nil, fmt.Errorf("docker compose ps: %s", said(nil, err))
	}
	return parseServices(out)
}

// parseServices reads what docker compose ps gives: an object a line, or an array
// before version 2.21 (https://github.com/docker/compose/releases/tag/v2.21.0).
func parseServices(out []byte) ([]Service, error) {
	var services []Service
	if json.Unmarshal(out, &services) == nil {
		return services, nil
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var s Service
		err := decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return services, nil
		}
		if err != nil {
			return nil, fmt.Errorf("docker compose ps gives something else than JSON: %w", err)
		}
		services = append(services, s)
	}
}

// DSN is the database's, password and all. The password is made when there is
// none yet.
func (c Compose) DSN() (string, error) {
	password, err := c.prepare()
	if err != nil {
		return "", err
	}
	return "postgres://tapedeck:" + password + "@" + PostgresAddress + "/tapedeck?sslmode=disable", nil
}

// prepare writes the compose file, and the password where there is none.
func (c Compose) prepare() (password string, err error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of the compose file: %w", err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, composeName), composeFile, 0o644); err != nil {
		return "", fmt.Errorf("writing the compose file: %w", err)
	}
	path := filepath.Join(c.Dir, secretsName)
	secrets, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		password = rand.Text()
		err = os.WriteFile(path, []byte(passwordKey+"="+password+"\n"), 0o600)
	case err == nil:
		_, rest, ok := strings.Cut(string(secrets), passwordKey+"=")
		if password, _, _ = strings.Cut(rest, "\n"); !ok || password == "" {
			err = fmt.Errorf("%s does not hold %s: put it back, or delete that file and wipe the database", path, passwordKey)
		}
	}
	if err != nil {
		return "", fmt.Errorf("keeping the database's password: %w", err)
	}
	return password, nil
}

func (c Compose) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "docker", append([]string{"compose", "--file", composeName}, args...)...)
	cmd.Dir = c.Dir
	return cmd
}

// run runs docker compose and shows what it says.
func (c Compose) run(ctx context.Context, args ...string) error {
	cmd := c.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = c.Out, c.Out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("docker compose %s: %w: see above", args[0], err)
	}
	return nil
}

// said is what a program said when it failed, in one line.
func said(out []byte, err error) string {
	var exit *exec.ExitError
	if len(out) == 0 && errors.As(err, &exit) {
		out = exit.Stderr
	}
	if text := strings.Join(strings.Fields(string(out)), " "); text != "" {
		return text
	}
	return err.Error()
}

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"time"
)

// image has PostgreSQL with pgvector: https://hub.docker.com/r/pgvector/pgvector
const image = "pgvector/pgvector:pg17"

// forTests are settings by which a server that is thrown away costs less.
var forTests = []string{"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300"}

// startContainer starts a container of the image.
func startContainer(ctx context.Context) (*server, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("docker is %w", errAbsent)
	}
	if _, err := docker(ctx, 5*time.Second, "version", "--format", "{{.Server.Version}}"); err != nil {
		return nil, fmt.Errorf("a Docker daemon that answers is %w", errAbsent)
	}
	password := rand.Text()
	provider.Say("starting a container of %s", image)
	args := []string{"run", "--detach", "--rm", "--publish", "127.0.0.1::5432", "--env", "POSTGRES_PASSWORD=" + password, image}
	id, err := docker(ctx, 10*time.Minute, append(args, forTests...)...)
	if err != nil {
		return nil, err
	}
	stop := func() {
		if _, err := docker(context.WithoutCancel(ctx), time.Minute, "rm", "--force", id); err != nil {
			provider.Say("the container %s may still run: %v", id, err)
		}
	}
	address, err := docker(ctx, 10*time.Second, "port", id, "5432/tcp")
	if err == nil {
		address, _, _ = strings.Cut(address, "\n") // a line for each address family
		_, _, err = net.SplitHostPort(address)
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("the port of the container: %w", err)
	}
	return &server{dsn: dsn(address, password), stop: stop}, nil
}

// docker runs the docker command and returns what it prints.
func docker(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "docker", args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", args[0], err, strings.TrimSpace(errOut.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// dsn is the DSN of the superuser of a server that was started here.
func dsn(address, password string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: address, Path: "/postgres"}
	u.RawQuery = "sslmode=disable"
	return u.String()
}

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"tapedeck/scripts/internal/provide"
)

// An account is one that PostgreSQL runs as.
type account struct{ uid, gid uint32 }

// unprivileged is the account that stands in for root; nil when we are not root.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"nobody", "postgres", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGroup := strconv.ParseUint(u.Gid, 10, 32)
		if err = errors.Join(err, errGroup); err != nil {
			return nil, fmt.Errorf("the account %s: %w", name, err)
		}
		return &account{uint32(uid), uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no account nobody; run this as another user")
}

// startCluster makes a database cluster in dir and starts a server on it.
func startCluster(ctx context.Context, packages, dir string, as *account) (*server, error) {
	data, password, secret := filepath.Join(dir, "data"), rand.Text(), filepath.Join(dir, "password")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(secret, []byte(password), 0o600)); err != nil {
		return nil, err
	}
	if as != nil {
		if err := copyPrograms(packages, dir); err != nil {
			return nil, err
		}
		packages = dir
		uid, gid := int(as.uid), int(as.gid)
		if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(data, uid, gid), os.Chown(secret, uid, gid)); err != nil {
			return nil, err
		}
	}
	bin := filepath.Join(packages, filepath.FromSlash(programs), "bin")
	if err := initialize(ctx, filepath.Join(bin, "initdb"), data, secret, as); err != nil {
		return nil, err
	}
	address, err := provide.FreeAddress()
	if err != nil {
		return nil, err
	}
	s, err := serve(filepath.Join(bin, "postgres"), data, address, as)
	if err != nil {
		return nil, err
	}
	s.dsn = dsn(address, password)
	return s, nil
}

// initialize makes the cluster; secret is a file with the superuser's password.
func initialize(ctx context.Context, initdb, data, secret string, as *account) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, initdb, "--pgdata", data, "--username", "postgres", "--auth", "scram-sha-256",
		"--pwfile", secret, "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions")
	cmd.Dir = data
	runAs(cmd, as)
	return provide.Quietly(cmd)
}

// serve runs the server until it is stopped.
func serve(postgres, data, address string, as *account) (*server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, postgres, append([]string{"-D", data, "-h", host, "-p", port, "-k", ""}, forTests...)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Dir = data
	runAs(cmd, as)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) } // a fast shutdown
	cmd.WaitDelay = provide.Patience
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		err := cmd.Wait()
		if ctx.Err() == nil {
			provider.Say("PostgreSQL ended by itself: %v\n%s", err, bytes.TrimSpace(log.Bytes()))
		}
		close(ended)
	}()
	return &server{stop: func() { cancel(); <-ended }, ended: ended}, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"tapedeck/scripts/internal/provide"
)

// A server is a PostgreSQL that tests can use.
type server struct {
	dsn   string
	stop  func()          // ends it, if it was started here
	ended <-chan struct{} // closed when it ended, where that can be told
}

// errAbsent is returned by a way to get a server that this machine does not have.
var errAbsent = errors.New("not here")

// start finds or starts a server.
func start(ctx context.Context) (*provide.Server, error) {
	s, err := find(ctx)
	if err != nil {
		return nil, err
	}
	return &provide.Server{Value: s.dsn, Stop: s.stop}, nil
}

func find(ctx context.Context) (*server, error) {
	if dsn := os.Getenv(provider.Variable); dsn != "" {
		about, err := describe(ctx, dsn)
		if err != nil {
			return nil, fmt.Errorf("the server that %s names: %w; correct or unset the variable", provider.Variable, err)
		}
		provider.Say("using %s, which %s names", about, provider.Variable)
		return &server{dsn: dsn, stop: func() {}}, nil
	}
	tried := []error{errors.New("no PostgreSQL with pgvector can be had for the tests; install Docker, or Python 3.10 or newer with venv, or name a server in " + provider.Variable)}
	for _, way := range []struct {
		name  string
		start func(context.Context) (*server, error)
	}{
		{"Docker", startContainer},
		{"Python wheel", startWheel},
	} {
		s, err := way.start(ctx)
		if ctx.Err() != nil {
			if err == nil {
				s.stop()
			}
			return nil, errors.New("interrupted")
		}
		if err == nil {
			about, err := await(ctx, s)
			if err == nil {
				provider.Say("started %s (%s)", about, way.name)
				return s, nil
			}
			s.stop()
			tried = append(tried, fmt.Errorf("%s: started, but %w", way.name, err))
			continue
		}
		tried = append(tried, fmt.Errorf("%s: %w", way.name, err))
		if !errors.Is(err, errAbsent) {
			provider.Say("%s: %v", way.name, err)
		}
	}
	return nil, errors.Join(tried...)
}

// startTime is how long a server may take until it answers.
const startTime = time.Minute

// await waits until a server answers, and describes it.
func await(ctx context.Context, s *server) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		about, err := describe(ctx, s.dsn)
		if err == nil || errors.Is(err, errUnfit) {
			return about, err
		}
		select {
		case <-s.ended:
			return "", errors.New("it ended by itself")
		case <-ctx.Done():
			return "", fmt.Errorf("it does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// errUnfit is returned for a server that answers, but is not what tests need.
var errUnfit = errors.New("not fit for the tests")

// oldest is the oldest server_version_num that the store supports.
const oldest = 15_00_00

// describe says what a server is, and fails when tests can't use it.
func describe(ctx context.Context, dsn string) (string, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil { // which may show a part of the password
		return "", errors.New("it is no DSN: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	var version string
	var number int
	var vector *string
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
		(SELECT default_version FROM pg_available_extensions WHERE name = 'vector')`).Scan(&version, &number, &vector)
	if err != nil {
		return "", err
	}
	if number < oldest {
		return "", fmt.Errorf("PostgreSQL %s: %w: they need 15 or newer", version, errUnfit)
	}
	if vector == nil {
		return "", fmt.Errorf("PostgreSQL %s without pgvector: %w: install the extension on it", version, errUnfit)
	}
	return fmt.Sprintf("PostgreSQL %s with pgvector %s", version, *vector), nil
}

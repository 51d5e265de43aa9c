package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/cli/clientconfig"
	"tapedeck/internal/config"
	"tapedeck/internal/local"
)

func newLocalUp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Start PostgreSQL and Ollama in Docker, and set tapedeck up to use them",
		Long: `Start a PostgreSQL with pgvector and an Ollama through Docker compose, fetch the
embedding model, and write into the configuration file that they are to be used.
None of it is needed: without them sessions are kept in a file, and a model is
built in.

An Ollama that answers already is used as it is. Settings that are there are
kept, and what they name is not started. The services listen on this machine
only; the compose file and the database's password lie in the folder local of
store_dir.`,
		Example: `  tapedeck local up
  tapedeck local up --config ./tapedeck.toml`,
		Args: nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.local()
			if err != nil {
				return err
			}
			return l.up(cmd.Context())
		},
	}
}

// up starts what is missing and sets tapedeck up for what there is then. Without
// Docker it does what it can, and says what is left.
func (l *localServices) up(ctx context.Context) error {
	dsn, err := l.compose.DSN()
	if err != nil {
		return err
	}
	missing, err := l.missing(ctx, dsn)
	if err != nil {
		return err
	}
	var withoutDocker error
	if len(missing) > 0 {
		if withoutDocker = l.compose.Usable(ctx); withoutDocker == nil {
			if err := l.compose.Up(ctx, missing...); err != nil {
				return err
			}
			missing = nil
		}
	}
	has := func(service string) bool { return !strings.Contains(strings.Join(missing, " "), service) }
	var entries []config.Entry
	if l.ownPostgres(dsn) && has(local.Postgres) {
		entries = append(entries, config.Entry{Name: "postgres", Value: dsn})
	}
	if l.ownOllama() && has(local.Ollama) {
		if err := l.fetch(ctx); err != nil {
			return err
		}
		entries = append(entries, config.Entry{Name: "embedding_provider", Value: config.ProviderOllama})
	}
	if err := l.write(entries, dsn); err != nil {
		return err
	}
	if withoutDocker != nil {
		return fmt.Errorf("%w\n%s", withoutDocker, strings.Join(l.byHand(missing), "\n"))
	}
	l.note("ready: tapedeck import, then tapedeck search")
	return nil
}

// missing are the services to be started.
func (l *localServices) missing(ctx context.Context, dsn string) ([]string, error) {
	var missing []string
	if l.ownPostgres(dsn) {
		missing = append(missing, local.Postgres)
	} else {
		l.note("postgres is set already (%s): that database is used", l.config.Origin("postgres"))
	}
	if !l.ownOllama() {
		l.note("embedding_provider is set to %s already (%s): that is used", l.config.EmbeddingProvider, l.config.Origin("embedding_provider"))
		return missing, nil
	}
	version, err := l.ollama.Version(ctx)
	switch {
	case err == nil:
		l.note("Ollama %s answers at %s: it is used", version, shownTarget(l.config, l.target))
		return missing, nil
	case l.target != local.DefaultTarget:
		return nil, fmt.Errorf("no Ollama answers at the embedding_target, %s: %w\nHint: start it, or leave embedding_target out to have one started here",
			shownTarget(l.config, l.target), err)
	}
	return append(missing, local.Ollama), nil
}

// shownTarget is a target as settings are shown: without a password.
func shownTarget(c *config.Config, target string) string {
	for _, v := range c.Values() {
		if v.Name == "embedding_target" && c.EmbeddingTarget == target {
			return v.Text()
		}
	}
	return target
}

// fetch brings the embedding model, if it is not there.
func (l *localServices) fetch(ctx context.Context) error {
	there, err := l.ollama.Has(ctx, l.model)
	if err != nil {
		return fmt.Errorf("asking Ollama for its models: %w", err)
	}
	if there {
		return nil
	}
	l.note("fetching the model %s", l.model)
	bar, report := l.progress()
	err = l.ollama.Pull(ctx, l.model, report)
	bar.clear()
	return err
}

// write puts entries into the configuration file and shows what changed, but for
// the password.
func (l *localServices) write(entries []config.Entry, dsn string) error {
	if len(entries) == 0 {
		return nil
	}
	path, err := l.settingsFile()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the configuration file: %w", err)
	}
	after, kept, err := config.AddEntries(before, entries)
	if err != nil {
		return fmt.Errorf("%s: %w\nTry: enter this by hand:\n%s", path, err, byHandText(entries))
	}
	for _, name := range kept {
		l.note("%s is set to something else in %s: it is kept", name, path)
	}
	change := &clientconfig.Change{Path: path, Before: before, After: after}
	if change.Empty() || len(before)+len(after) == 0 {
		l.note("%s has these settings already", path)
		return nil
	}
	fmt.Fprint(l.out, strings.ReplaceAll(change.Diff(), passwordOf(dsn), "********"))
	backup, err := change.Write()
	if err != nil {
		return err
	}
	if backup != "" {
		l.note("the old file is kept as %s", backup)
	}
	l.note("settings are written to %s", path)
	return nil
}

// byHandText are entries as a person enters them.
func byHandText(entries []config.Entry) string {
	var lines []string
	for _, e := range entries {
		section, line := e.Line()
		lines = append(lines, "["+section+"]", line)
	}
	return strings.Join(lines, "\n")
}

// byHand says what to run where Docker can't.
func (l *localServices) byHand(missing []string) []string {
	lines := []string{"Neither is needed: without it sessions are kept in a file, and a model is built in. To have it all the same:"}
	for _, service := range missing {
		switch service {
		case local.Postgres:
			lines = append(lines, "PostgreSQL with pgvector: createdb tapedeck && psql -d tapedeck -c 'CREATE EXTENSION vector',",
				"  then enter below [store] in tapedeck.toml: postgres = \"postgres:///tapedeck\"")
		case local.Ollama:
			lines = append(lines, "Ollama: install it from https://ollama.com/download, start it with ollama serve,", "  then run tapedeck local up again")
		}
	}
	return lines
}

func passwordOf(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://tapedeck:")
	password, _, _ := strings.Cut(rest, "@")
	return password
}

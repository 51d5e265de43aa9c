package cli

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tapedeck/internal/config"
	"tapedeck/internal/local"
)

func newLocal(a *app) *cobra.Command {
	return newGroup("local", "Run PostgreSQL and Ollama on this machine, for those who want them",
		newLocalUp(a), newLocalStatus(a), newLocalDown(a))
}

// localServices is what runs, or is to run, on this machine.
type localServices struct {
	*app
	config  *config.Config
	compose local.Compose
	target  string // of Ollama
	model   string
	ollama  *local.Server
}

// local works out what is to run here by what the settings say.
func (a *app) local() (*localServices, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	l := &localServices{
		app: a, config: c, target: local.DefaultTarget, model: local.DefaultModel,
		compose: local.Compose{Dir: filepath.Join(c.StoreDir, "local"), Out: a.err},
	}
	if c.EmbeddingProvider == config.ProviderOllama {
		l.target, l.model = cmp.Or(c.EmbeddingTarget, l.target), cmp.Or(c.EmbeddingModel, l.model)
	}
	l.ollama, err = local.NewServer(l.target)
	return l, err
}

// ownPostgres reports whether the settings leave the database to us, or name ours.
func (l *localServices) ownPostgres(dsn string) bool {
	return !l.config.IsSet("postgres") || l.config.Postgres == dsn
}

// ownOllama reports whether they leave the embedder to us, or name Ollama.
func (l *localServices) ownOllama() bool {
	return !l.config.IsSet("embedding_provider") || l.config.EmbeddingProvider == config.ProviderOllama
}

// settingsFile is the configuration file that is read, or would be from any
// folder.
func (l *localServices) settingsFile() (string, error) {
	if file := cmp.Or(l.configFile, l.config.File); file != "" {
		return file, nil
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "tapedeck", "tapedeck.toml"), err
}

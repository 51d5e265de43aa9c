package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/cli/clientconfig"
	"tapedeck/internal/config"
)

func newMCPInstall(a *app) *cobra.Command {
	i := &install{app: a}
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Enter tapedeck into the configuration of an MCP client",
		Long: `Show what would change in the configuration file of CLIENT so that it starts
tapedeck, and change it with --write. CLIENT is one of
` + strings.Join(clientconfig.Names(), ", ") + `.

All else in the file stays as it is, and a copy of it is kept beside it. The
entry names this program and the data folders by their full paths; the flags of
settings that are given here go into it.`,
		Example: `  tapedeck mcp install claude-desktop --data-dir ~/recordings
  tapedeck mcp install vscode --scope project --data-dir ./recordings --write`,
		Args:      nArgs(1, 1),
		ValidArgs: clientconfig.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return i.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&i.write, "write", false, "change the file")
	flags.StringVar(&i.scope, "scope", string(clientconfig.User), "`user|project`, for you in all folders, or for all who work in this one")
	flags.StringVar(&i.name, "name", "tapedeck", "`NAME` of the entry")
	flags.StringVar(&i.file, "file", "", "change `FILE` instead of where CLIENT keeps its configuration")
	return cmd
}

type install struct {
	*app
	write bool
	scope string
	name  string
	file  string
}

func (i *install) run(cmd *cobra.Command, name string) error {
	client, err := clientconfig.Find(name)
	if err != nil {
		return usageError(cmd, fmt.Errorf("%w: want one of %s", err, strings.Join(clientconfig.Names(), ", ")))
	}
	path, err := i.path(client)
	if err != nil {
		return usageError(cmd, err)
	}
	c, err := i.config()
	if err != nil {
		return err
	}
	server, err := i.server(c)
	if err != nil {
		return err
	}
	change, err := client.Plan(path, i.name, server)
	if errors.Is(err, clientconfig.ErrNotJSON) {
		return fmt.Errorf("%w\nTry: enter this by hand:\n%s", err, client.Snippet(i.name, server))
	}
	if err != nil {
		return err
	}
	return i.apply(client, change)
}

// apply shows a change and, when asked to, writes it.
func (i *install) apply(client clientconfig.Client, change *clientconfig.Change) error {
	if change.Empty() {
		i.note("%s has this entry already: %s", client.Title, change.Path)
		return nil
	}
	fmt.Fprint(i.out, change.Diff())
	if !i.write {
		i.note("nothing is written yet: --write changes the file")
		return nil
	}
	backup, err := change.Write()
	if err != nil {
		return err
	}
	if backup != "" {
		i.note("the old file is kept as %s", backup)
	}
	i.note("written: restart %s to use it", client.Title)
	return nil
}

func (i *install) path(client clientconfig.Client) (string, error) {
	if i.file != "" {
		return i.file, nil
	}
	places, err := clientconfig.Here()
	if err != nil {
		return "", err
	}
	return client.Path(clientconfig.Scope(i.scope), places)
}

// server is how a client starts this program: from any folder, so all paths are
// full ones. What flags set, and the file that was read, go with it.
func (i *install) server(c *config.Config) (clientconfig.Server, error) {
	program, err := os.Executable()
	if err != nil {
		return clientconfig.Server{}, err
	}
	args := []string{"mcp"}
	if c.File != "" && !i.isUsersFile(c.File) {
		path, err := filepath.Abs(c.File)
		if err != nil {
			return clientconfig.Server{}, err
		}
		args = append(args, "--config", path)
	}
	for _, dir := range c.DataDirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return clientconfig.Server{}, err
		}
		if _, err := os.Stat(path); err != nil {
			i.warn("the data folder is not there: " + path)
		}
		args = append(args, "--data-dir", path)
	}
	flags, err := givenFlags(c)
	return clientconfig.Server{Command: program, Args: append(args, flags...)}, err
}

// isUsersFile reports whether file is the one that is found from any folder.
func (i *install) isUsersFile(file string) bool {
	dir, err := os.UserConfigDir()
	return err == nil && i.configFile == "" && strings.HasPrefix(file, dir+string(os.PathSeparator))
}

// givenFlags are the flags, besides --data-dir, that were given to this command.
func givenFlags(c *config.Config) ([]string, error) {
	var flags []string
	for _, v := range c.Values() {
		if v.Layer != config.LayerFlag || v.Name == "data_dir" {
			continue
		}
		text := v.Text()
		switch v.Name {
		case "cache_dir", "store_dir":
			path, err := filepath.Abs(text)
			if err != nil {
				return nil, err
			}
			text = path
		case "postgres": // as it was given: its text has no password
			text = c.Postgres
		case "vector_store_target":
			text = c.VectorStoreTarget
		case "embedding_target":
			text = c.EmbeddingTarget
		}
		flags = append(flags, v.Detail+"="+text)
	}
	return flags, nil
}

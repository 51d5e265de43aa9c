package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tapedeck/internal/archive"
	"tapedeck/internal/store"
)

func newStore(a *app) *cobra.Command {
	return newGroup("store", "Look after the store of agent sessions", newStoreInfo(a), newStoreCheck(a), newStoreMigrate(a))
}

func newStoreInfo(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "Tell where the store is and what it holds",
		Example: `  tapedeck store info`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				info, err := ops.Info(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(a.out, info)
				}
				return storeTable(info).print(a.out)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func storeTable(info *store.Info) *grid {
	t := &grid{columns: []column{{name: "STORE"}, {name: info.Kind}}}
	t.add("location", info.Location)
	t.add("engine", info.Server)
	t.add("schema", fmt.Sprint(info.Schema))
	t.add("size", size(float64(info.Bytes)))
	t.add("sessions", group(info.Sessions))
	t.add("streams", group(info.Streams))
	t.add("raw records", group(info.Records))
	t.add("to be derived", group(info.Pending))
	t.add("deleted", group(info.Deleted))
	return t
}

func newStoreCheck(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Read the whole store and tell what is wrong in it",
		Long: `Read everything in the store and hold it against its hashes, references and
sums. The exit code is 1 when something is wrong.`,
		Example: `  tapedeck store check`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				result, err := ops.Check(cmd.Context())
				if err != nil {
					return err
				}
				return a.printCheck(result, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printCheck(result *archive.CheckResult, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, result); err != nil {
			return err
		}
	} else if len(result.Problems) > 0 {
		t := &grid{columns: []column{{name: "WHERE"}, {name: "WHAT"}}}
		for _, p := range result.Problems {
			t.add(p.Where, p.What)
		}
		if err := t.print(a.out); err != nil {
			return err
		}
	}
	if !result.Sound {
		return errors.New("the store is not sound: " + count(len(result.Problems), "problem", "problems"))
	}
	a.note("the store is sound: %s, %s", count(result.Info.Sessions, "session", "sessions"), count(result.Info.Records, "raw record", "raw records"))
	return nil
}

func newStoreMigrate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the store to this program's schema",
		Long: `Make the store, or bring it to the schema of this program. Every command that
needs the store does the same by itself; this one is for those who want it done
at a time of their own.`,
		Example: `  tapedeck store migrate --postgres postgres://tapedeck@db/tapes`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withArchive(cmd.Context(), func(ops archive.Operations) error {
				info, err := ops.Info(cmd.Context())
				if err != nil {
					return err
				}
				a.note("%s at %s has schema %d, that of this program", info.Kind, info.Location, info.Schema)
				return nil
			})
		},
	}
}

package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tapedeck/internal/local"
)

func newLocalStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell how PostgreSQL and Ollama do on this machine",
		Example: `  tapedeck local status`,
		Args:    nArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.local()
			if err != nil {
				return err
			}
			states := []localState{l.postgresState(cmd.Context()), l.ollamaState(cmd.Context())}
			if asJSON {
				return printJSON(a.out, map[string]any{"services": states})
			}
			t := &grid{columns: []column{{name: "SERVICE"}, {name: "STATE"}, {name: "WHERE"}}}
			for _, s := range states {
				t.add(s.Service, s.State, s.Where)
			}
			if err := t.print(a.out); err != nil {
				return err
			}
			for _, s := range states {
				if s.Reason != "" {
					a.note("%s: %s", s.Service, s.Reason)
				}
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// localState is how one service does.
type localState struct {
	Service string `json:"service"`
	State   string `json:"state"`
	Reason  string `json:"reason"` // why that can't be told; "": it can
	Where   string `json:"where"`
}

// postgresState is that of the database that we start.
func (l *localServices) postgresState(ctx context.Context) localState {
	s := localState{Service: local.Postgres, State: "not started", Where: local.PostgresAddress}
	if err := l.compose.Usable(ctx); err != nil {
		s.State, s.Reason = "not known", err.Error()
		return s
	}
	services, err := l.compose.Services(ctx)
	i := slices.IndexFunc(services, func(s local.Service) bool { return s.Name == local.Postgres })
	switch {
	case err != nil:
		s.State, s.Reason = "not known", err.Error()
	case i >= 0 && services[i].Health != "":
		s.State = services[i].State + ", " + services[i].Health
	case i >= 0:
		s.State = services[i].State
	}
	return s
}

// ollamaState is that of the Ollama that answers, whoever started it.
func (l *localServices) ollamaState(ctx context.Context) localState {
	s := localState{Service: local.Ollama, State: "does not answer", Where: shownTarget(l.config, l.target)}
	version, err := l.ollama.Version(ctx)
	if err != nil {
		return s
	}
	s.State = "version " + version + ", "
	switch there, err := l.ollama.Has(ctx, l.model); {
	case err != nil:
		s.State, s.Reason = s.State+"its models are not known", err.Error()
	case there:
		s.State += "has " + l.model
	default:
		s.State += "lacks " + l.model
	}
	return s
}

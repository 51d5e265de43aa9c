package cli

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"tapedeck/internal/config"
)

// TestEverySettingTakesEffect: a setting that changes nothing of what is opened
// or served is a lie in the table of settings.
func TestEverySettingTakesEffect(t *testing.T) {
	other := map[string]string{"log_level": "error", "log_format": "text", "api_listen": "127.0.0.1:9",
		"postgres": "host=db", "import": "off", "tools": "sessions", "embedding_provider": "ollama", "vector_store_target": "host=db"}
	usual := effects(t, "")
	for _, s := range config.Settings() {
		value, ok := other[s.Name]
		if !ok {
			value = otherValue(s)
		}
		if changed := effects(t, s.Env()+"="+value); changed == usual {
			t.Errorf("%s=%s changes nothing", s.Env(), value)
		}
	}
	if effects(t, "TAPEDECK_MAX_ROW_LIMIT=10000") != usual {
		t.Error("a setting at its default changes something")
	}
}

// otherValue is one that a setting may have and that is not its default.
func otherValue(s config.Setting) string {
	switch value := s.Default.(type) {
	case bool:
		return fmt.Sprint(!value)
	case int:
		if value == s.Min {
			return fmt.Sprint(s.Min + 1)
		}
		return fmt.Sprint(s.Min)
	}
	return "other"
}

// effects tells all that the settings decide, as one text.
func effects(t *testing.T, variable string) string {
	t.Helper()
	c, err := config.Load(config.Sources{
		Dir: t.TempDir(), Environ: []string{"TAPEDECK_CACHE_DIR=usual", "TAPEDECK_STORE_DIR=usual", variable},
		Flags: config.AddFlags(pflag.NewFlagSet("", pflag.ContinueOnError)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	log := newLogger(&logged, c, slog.LevelInfo)
	log.Info("told")
	log.Error("told", "time", 0)
	form, _, _ := strings.Cut(logged.String(), "told")
	lines := fmt.Sprint(strings.Count(logged.String(), "\n"), strings.HasPrefix(form, "{"))
	opt, mcp, http := deckOptions(c, nil), mcpOptions(c, nil, nil, nil), httpOptions(c, nil, nil, nil, nil)
	imports := served{archive: &fakeArchive{}, config: c}.imports()
	return fmt.Sprintf("%+v %+v %+v %+v %+v %v %s", opt, storeOptions(c, nil), *embedderOptions(c), mcp, http, imports, lines)
}

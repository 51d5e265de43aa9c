package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// sources builds the layers of a test in folders of its own.
type sources struct {
	t     *testing.T
	src   Sources
	flags *pflag.FlagSet
}

func newSources(t *testing.T) *sources {
	set := pflag.NewFlagSet("tapedeck", pflag.ContinueOnError)
	return &sources{t: t, flags: set, src: Sources{
		Dir: t.TempDir(), UserDir: t.TempDir(), Flags: AddFlags(set),
	}}
}

func (s *sources) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.src.Dir, name)
	if filepath.IsAbs(name) {
		path = name
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *sources) env(entries ...string) { s.src.Environ = append(s.src.Environ, entries...) }

func (s *sources) args(args ...string) {
	s.t.Helper()
	if err := s.flags.Parse(args); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sources) load() *Config {
	s.t.Helper()
	c, err := Load(s.src)
	if err != nil {
		s.t.Fatalf("Load: %v", err)
	}
	return c
}

func TestBadEntriesStopTheStart(t *testing.T) {
	tests := []struct {
		name string
		file string // content of tapedeck.toml
		env  []string
		args []string
		want []string // each a part of the error
	}{
		{
			name: "unknown key", file: "[limits]\nmax_row_limits = 5",
			want: []string{"tapedeck.toml", "unknown setting limits.max_row_limits", "did you mean limits.max_row_limit"},
		},
		{name: "unknown section", file: "[limit]\nmax_row_limit = 5", want: []string{"unknown setting limit.max_row_limit", "limits.max_row_limit"}},
		{name: "unknown section with nothing in it", file: "[limitz]", want: []string{"unknown setting limitz"}},
		{name: "section twice over", file: "[[server]]\nrecursive = true", want: []string{"unknown setting server"}},
		{name: "key outside of its section", file: "max_row_limit = 5", want: []string{"unknown setting max_row_limit"}},
		{name: "no TOML", file: "[limits]\nmax_row_limit ==", want: []string{"tapedeck.toml", "line 2"}},
		{name: "text for a number", file: "[limits]\nquery_timeout_s = \"soon\"", want: []string{"limits.query_timeout_s", `"soon"`, "a whole number from 1"}},
		{name: "fraction for a number", file: "[limits]\nquery_timeout_s = 1.5", want: []string{"1.5", "a whole number"}},
		{name: "number for a truth", file: "[server]\nrecursive = 2", want: []string{"server.recursive = 2", "true or false"}},
		{name: "number among folders", file: "[server]\ndata_dir = [\"a\", 3]", want: []string{"server.data_dir", "array of folders"}},
		{name: "no folder", file: "[server]\ndata_dir = []", want: []string{"server.data_dir", "array of folders"}},
		{name: "both spellings", file: "[limits]\nmax_memory_mb = 100\nmemory_budget_mb = 200", want: []string{"one setting", "limits.max_memory_mb"}},
		{name: "memory too small in the file", file: "[limits]\nmax_memory_mb = 1", want: []string{"limits.max_memory_mb = 1", "from 64"}},
		{name: "memory too small in the environment", env: []string{"MCAP_MAX_MEMORY_MB=1"}, want: []string{"environment", "MCAP_MAX_MEMORY_MB", `"1"`, "from 64"}},
		{name: "no number in the environment", env: []string{"TAPEDECK_QUERY_TIMEOUT_S=30s"}, want: []string{"TAPEDECK_QUERY_TIMEOUT_S", `"30s"`, "a whole number"}},
		{name: "no truth in the environment", env: []string{"MCAP_RECURSIVE=maybe"}, want: []string{"MCAP_RECURSIVE", `"maybe"`, "true or false"}},
		{name: "unknown variable", env: []string{"TAPEDECK_DATADIR=/x"}, want: []string{"unknown setting TAPEDECK_DATADIR", "TAPEDECK_DATA_DIR"}},
		{name: "unknown level", args: []string{"--log-level", "loud"}, want: []string{"flags", "--log-level", `"loud"`, "DEBUG, INFO, WARNING, ERROR"}},
		{name: "number beyond its bounds", args: []string{"--flatten-depth", "101"}, want: []string{"--flatten-depth", "from 0 to 100"}},
		{name: "empty address", args: []string{"--api-listen", ""}, want: []string{"--api-listen", "HOST:PORT"}},
		{name: "address without a port", file: "[server]\napi_listen = \"localhost\"", want: []string{"server.api_listen", `"localhost"`, "HOST:PORT"}},
		{name: "port that is none", env: []string{"TAPEDECK_API_LISTEN=127.0.0.1:99999"}, want: []string{"TAPEDECK_API_LISTEN", "99999", "HOST:PORT"}},
		{name: "number for an address", file: "[server]\napi_listen = 8081", want: []string{"server.api_listen = 8081", "HOST:PORT"}},
		{
			name: "default above maximum", env: []string{"MCAP_MAX_ROW_LIMIT=10"}, args: []string{"--default-row-limit", "11"},
			want: []string{"--default-row-limit", "11", "at most max_row_limit, which is 10 (environment MCAP_MAX_ROW_LIMIT)"},
		},
		{
			name: "all at once", file: "[server]\nport = 1", env: []string{"MCAP_FLATTEN_DEPTH=x"}, args: []string{"--log-format", "xml"},
			want: []string{"server.port", "MCAP_FLATTEN_DEPTH", "--log-format"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSources(t)
			if tt.file != "" {
				s.file("tapedeck.toml", tt.file)
			}
			s.env(tt.env...)
			s.args(tt.args...)
			c, err := Load(s.src)
			if !errors.Is(err, ErrInvalid) || c != nil {
				t.Fatalf("Load = %v, %v; want nothing and an ErrInvalid", c, err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error does not say %q:\n%v", part, err)
				}
			}
		})
	}
}

// TestVariablesOfTests: what tests are told is no setting of what they start.
func TestVariablesOfTests(t *testing.T) {
	s := newSources(t)
	s.env("TAPEDECK_TEST_POSTGRES=postgres://localhost/x")
	s.load()
}

// TestUnlikeVariables: what all variables share makes no two of them alike.
func TestUnlikeVariables(t *testing.T) {
	s := newSources(t)
	s.env("TAPEDECK_ZZZZ=1")
	if _, err := Load(s.src); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("Load = %v; want an error without suggestions", err)
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	const token = "correct-horse"
	s := newSources(t)
	s.env("TAPEDECK_AUTH_TOKEN=" + token)
	c := s.load()
	if c.AuthToken != token {
		t.Errorf("AuthToken = %q", c.AuthToken)
	}
	for _, v := range c.Values() {
		if strings.Contains(v.Text(), token) {
			t.Errorf("%s shows the secret", v.Name)
		}
		if v.Name == "auth_token" && v.Text() != masked {
			t.Errorf("auth_token is shown as %q, want %q", v.Text(), masked)
		}
	}
	if s.flags.Lookup("auth-token") != nil {
		t.Error("the secret has a flag, which process lists would show")
	}

	s = newSources(t)
	s.file("tapedeck.toml", "[server]\nauth_token = ['"+token+"']")
	if _, err := Load(s.src); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("error of a bad secret is %v; want one that does not show it", err)
	}
}

func TestLaterLayerWins(t *testing.T) {
	s := newSources(t)
	file := s.file("tapedeck.toml", `
[server]
data_dir = ["a", "b"]
recursive = false
[limits]
memory_budget_mb = 100
query_timeout_s = 10
default_row_limit = 20
max_row_limit = 200
`)
	s.env("TAPEDECK_QUERY_TIMEOUT_S=11", "MCAP_DEFAULT_ROW_LIMIT=21", "MCAP_QUERY_TIMEOUT_S=99", "TAPEDECK_LOG_LEVEL=")
	s.args("--default-row-limit=22", "--insecure")
	c := s.load()

	want := []Value{
		{Name: "data_dir", Value: []string{"a", "b"}, Origin: Origin{LayerFile, file + " server.data_dir"}},
		{Name: "recursive", Value: false, Origin: Origin{LayerFile, file + " server.recursive"}},
		{Name: "memory_budget_mb", Value: 100, Origin: Origin{LayerFile, file + " limits.memory_budget_mb"}},
		{Name: "query_timeout_s", Value: 11, Origin: Origin{LayerEnvironment, "TAPEDECK_QUERY_TIMEOUT_S"}},
		{Name: "default_row_limit", Value: 22, Origin: Origin{LayerFlag, "--default-row-limit"}},
		{Name: "max_row_limit", Value: 200, Origin: Origin{LayerFile, file + " limits.max_row_limit"}},
		{Name: "log_level", Value: "INFO", Origin: Origin{Layer: LayerDefault}},
		{Name: "insecure", Value: true, Origin: Origin{LayerFlag, "--insecure"}},
	}
	if diff := cmp.Diff(want, pick(c, want), ignoreSeparator); diff != "" {
		t.Errorf("values differ (-want +got):\n%s", diff)
	}
}

// TestPythonServersNames: a user of the Python server changes nothing.
func TestPythonServersNames(t *testing.T) {
	environment := []string{
		"MCAP_DATA_DIR=/data", "MCAP_RECURSIVE=No", "MCAP_MAX_MEMORY_MB=512", "MCAP_QUERY_TIMEOUT_S=5",
		"MCAP_DEFAULT_ROW_LIMIT=50", "MCAP_MAX_ROW_LIMIT=500", "MCAP_LOG_LEVEL=warning", "MCAP_FLATTEN_DEPTH=3",
		"MCAP_TRANSPORT=stdio", "MCAP_SSE_PORT=8080",
	}
	file := `
[server]
data_dir = "/data"
recursive = false
transport = "stdio"
[limits]
max_memory_mb = 512
query_timeout_s = 5
default_row_limit = 50
max_row_limit = 500
[decoder]
flatten_depth = 3
[logging]
level = "WARNING"
`
	tests := map[string]struct {
		prepare  func(*sources)
		warnings int
	}{
		"environment":          {func(s *sources) { s.env(environment...) }, 2},
		"its file":             {func(s *sources) { s.file("mcap-mcp-server.toml", file) }, 1},
		"its file as ours":     {func(s *sources) { s.file("tapedeck.toml", file) }, 1},
		"its file named by us": {func(s *sources) { s.src.File = s.file("other.toml", file) }, 1},
		"in the user's folder": {func(s *sources) { s.file(filepath.Join(s.src.UserDir, "tapedeck", "tapedeck.toml"), file) }, 1},
		"ours goes before its": {func(s *sources) { s.file("tapedeck.toml", file); s.file("mcap-mcp-server.toml", "broken") }, 1},
		"its before the user's": {func(s *sources) {
			s.file("mcap-mcp-server.toml", file)
			s.file(filepath.Join(s.src.UserDir, "tapedeck", "tapedeck.toml"), "broken")
		}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSources(t)
			tt.prepare(s)
			c := s.load()
			want := []Value{
				{Name: "data_dir", Value: []string{"/data"}},
				{Name: "recursive", Value: false},
				{Name: "memory_budget_mb", Value: 512},
				{Name: "query_timeout_s", Value: 5},
				{Name: "default_row_limit", Value: 50},
				{Name: "max_row_limit", Value: 500},
				{Name: "flatten_depth", Value: 3},
				{Name: "log_level", Value: "WARNING"},
			}
			got := pick(c, want)
			for i := range got {
				got[i].Origin = Origin{}
			}
			if diff := cmp.Diff(want, got, ignoreSeparator); diff != "" {
				t.Errorf("values differ (-want +got):\n%s", diff)
			}
			if len(c.Warnings) != tt.warnings {
				t.Errorf("warnings = %q, want %d about the transport", c.Warnings, tt.warnings)
			}
		})
	}
}

func TestFileThatIsNamedMustBeThere(t *testing.T) {
	s := newSources(t)
	s.src.File = filepath.Join(s.src.Dir, "absent.toml")
	if _, err := Load(s.src); !errors.Is(err, ErrInvalid) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load = %v, want ErrInvalid and ErrNotExist", err)
	}
}

// TestDefaultLimitGivesWay: only the maximum was lowered, as the Python server lets one.
func TestDefaultLimitGivesWay(t *testing.T) {
	s := newSources(t)
	s.env("MCAP_MAX_ROW_LIMIT=10")
	c := s.load()
	if c.DefaultRowLimit != 10 {
		t.Errorf("DefaultRowLimit = %d, want 10", c.DefaultRowLimit)
	}
}

func TestFileThatSaysNothing(t *testing.T) {
	s := newSources(t)
	s.file("tapedeck.toml", "# nothing yet\n[server]\n[limits]\n")
	if c := s.load(); c.MaxRowLimit != 10000 || c.File == "" {
		t.Errorf("MaxRowLimit = %d, File = %q", c.MaxRowLimit, c.File)
	}
}

func TestFolders(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	sep := string(os.PathListSeparator)
	s := newSources(t)
	s.args("--data-dir", "a"+sep+"~"+sep, "--data-dir", "~/b", "--cache-dir", "~other/c")
	c := s.load()
	if want := []string{"a", home, filepath.Join(home, "b")}; !cmp.Equal(c.DataDirs, want) {
		t.Errorf("DataDirs = %q, want %q", c.DataDirs, want)
	}
	if c.CacheDir != "~other/c" {
		t.Errorf("CacheDir = %q: only one's own home is known", c.CacheDir)
	}
	if c = newSources(t).load(); filepath.Base(c.CacheDir) != "tapedeck" || !filepath.IsAbs(c.CacheDir) {
		t.Errorf("CacheDir = %q by default", c.CacheDir)
	}
}

// TestTable: what is written from the table must be one-to-one.
func TestTable(t *testing.T) {
	seen := map[string]string{}
	for _, s := range Settings() {
		for _, spelling := range []string{s.Name, s.Key, s.LegacyKey, s.LegacyEnv} {
			if owner, taken := seen[spelling]; taken && spelling != "" && owner != s.Name {
				t.Errorf("%s is a spelling of both %s and %s", spelling, owner, s.Name)
			}
			seen[spelling] = s.Name
		}
		if s.Help == "" || strings.ToLower(s.Help[:1]) != s.Help[:1] || strings.HasSuffix(s.Help, ".") {
			t.Errorf("%s: help %q is not one lower-case phrase", s.Name, s.Help)
		}
	}
}

var ignoreSeparator = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".separator" }, cmp.Ignore())

// pick returns the values that are named in like, in its order.
func pick(c *Config, like []Value) []Value {
	byName := map[string]Value{}
	for _, v := range c.Values() {
		byName[v.Name] = v
	}
	picked := make([]Value, len(like))
	for i, v := range like {
		picked[i] = byName[v.Name]
	}
	return picked
}

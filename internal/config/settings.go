package config

import (
	"runtime"
	"slices"
	"strings"
)

// Setting describes one setting in all layers.
type Setting struct {
	Name       string   // "memory_budget_mb"; flag and variable are made from it
	Key        string   // in the file: "section.key"
	LegacyKey  string   // the Python server's key, where it differs
	LegacyEnv  string   // the Python server's variable
	Default    any      // string, int, bool or []string
	DefaultDoc string   // what stands for Default in texts, where it depends on the machine
	Min, Max   int      // bounds of an int
	Choices    []string // of a string; case is ignored
	Secret     bool     // never shown, and no flag: process lists show those
	Commands   []string // whose help lists the flag; `config --help` lists them all
	Help       string

	field func(*Config) any // pointer to where the value goes
}

// Config holds the value of every setting.
type Config struct {
	DataDirs        []string
	Recursive       bool
	CacheDir        string
	CacheMaxMB      int
	MemoryBudgetMB  int
	QueryTimeoutS   int
	DefaultRowLimit int
	MaxRowLimit     int
	MaxAnswerBytes  int
	QueryWorkers    int
	WorkerMemoryMB  int
	FlattenDepth    int
	LogLevel        string
	LogFormat       string
	APIListen       string
	AuthToken       string
	Insecure        bool
	AllowedHosts    []string
	StoreDir        string
	Postgres        string   // a DSN; empty: none
	Import          string   // ImportAuto or ImportOff
	Tools           []string // of the Tools… constants

	EmbeddingProvider   string // one of the Provider… constants
	EmbeddingTarget     string // empty: the provider's usual one
	EmbeddingModel      string // empty: the provider's usual one
	EmbeddingDimensions int    // 0: as many as the model gives
	EmbeddingKey        string
	VectorStoreTarget   string // a DSN; empty: where the sessions are

	// File is the file that was read; empty when there was none.
	File string
	// Warnings tell what was accepted for compatibility and has no effect.
	Warnings []string

	origins map[string]Origin
}

// What the setting import can be.
const (
	ImportAuto = "auto"
	ImportOff  = "off"
)

// What the setting embedding_provider can be.
const (
	ProviderBuiltin = "builtin"
	ProviderOllama  = "ollama"
	ProviderOpenAI  = "openai"
	ProviderNone    = "none" // no search
)

// What the setting tools can name.
const (
	ToolsRecordings = "recordings"
	ToolsSessions   = "sessions"
	ToolsSearch     = "search"
)

// sessionCommands are those that open the store of agent sessions.
var sessionCommands = []string{
	"import", "rederive", "search", "search index", "search status", "serve", "stats", "mcp", "store check", "store info", "store migrate",
	"sessions export", "sessions ls", "sessions rename", "sessions rm", "sessions show",
}

// searchCommands are those that open an embedder.
var searchCommands = []string{"search", "search index", "search status", "serve", "mcp"}

// Any marks a setting whose flag the help of every command lists.
const Any = "*"

var settings = []Setting{
	{
		Name: "data_dir", Key: "server.data_dir", LegacyEnv: "MCAP_DATA_DIR",
		Default: []string{"."}, Commands: []string{Any},
		Help:  "folders with recordings; several are joined as in PATH, or an array in the file",
		field: func(c *Config) any { return (*paths)(&c.DataDirs) },
	},
	{
		Name: "recursive", Key: "server.recursive", LegacyEnv: "MCAP_RECURSIVE",
		Default: true, Commands: []string{"ls"},
		Help:  "look into sub-folders of the data folders",
		field: func(c *Config) any { return &c.Recursive },
	},
	{
		Name: "cache_dir", Key: "cache.dir",
		Default: "", DefaultDoc: "tapedeck in the user's cache folder", Commands: []string{"cache ls", "cache clear"},
		Help:  "folder for the tables made from recordings",
		field: func(c *Config) any { return (*path)(&c.CacheDir) },
	},
	{
		Name: "cache_max_mb", Key: "cache.max_mb",
		Default: 20480, Min: 64, Max: 1 << 30,
		Help:  "disk space that cached tables may take",
		field: func(c *Config) any { return &c.CacheMaxMB },
	},
	{
		Name: "memory_budget_mb", Key: "limits.memory_budget_mb", LegacyKey: "limits.max_memory_mb", LegacyEnv: "MCAP_MAX_MEMORY_MB",
		Default: 2048, Min: 64, Max: 1 << 20,
		Help:  "tables that are attached at once; what was used longest ago makes room",
		field: func(c *Config) any { return &c.MemoryBudgetMB },
	},
	{
		Name: "query_timeout_s", Key: "limits.query_timeout_s", LegacyEnv: "MCAP_QUERY_TIMEOUT_S",
		Default: 30, Min: 1, Max: 86400, Commands: []string{"query"},
		Help:  "seconds a query may take; callers can ask for less",
		field: func(c *Config) any { return &c.QueryTimeoutS },
	},
	{
		Name: "default_row_limit", Key: "limits.default_row_limit", LegacyEnv: "MCAP_DEFAULT_ROW_LIMIT",
		Default: 1000, Min: 1, Max: 10_000_000,
		Help:  "rows of an answer when the caller gives no limit",
		field: func(c *Config) any { return &c.DefaultRowLimit },
	},
	{
		Name: "max_row_limit", Key: "limits.max_row_limit", LegacyEnv: "MCAP_MAX_ROW_LIMIT",
		Default: 10000, Min: 1, Max: 10_000_000,
		Help:  "rows that a caller can ask for at most, over MCP and HTTP",
		field: func(c *Config) any { return &c.MaxRowLimit },
	},
	{
		Name: "max_answer_bytes", Key: "limits.max_answer_bytes",
		Default: 80000, Min: 1000, Max: 1 << 30,
		Help:  "bytes of an answer's rows, over MCP and HTTP",
		field: func(c *Config) any { return &c.MaxAnswerBytes },
	},
	{
		Name: "query_workers", Key: "limits.query_workers",
		Default: min(4, runtime.NumCPU()), DefaultDoc: "one a processor, at most 4", Min: 1, Max: 64,
		Help:  "queries that run at the same time",
		field: func(c *Config) any { return &c.QueryWorkers },
	},
	{
		Name: "worker_memory_mb", Key: "limits.worker_memory_mb",
		Default: 1024, Min: 64, Max: 1 << 20,
		Help:  "memory that one query may take, and one load",
		field: func(c *Config) any { return &c.WorkerMemoryMB },
	},
	{
		Name: "flatten_depth", Key: "decoder.flatten_depth", LegacyEnv: "MCAP_FLATTEN_DEPTH",
		Default: 0, Min: 0, Max: 100, Commands: []string{"schema", "query", "load"},
		Help:  "levels of nested messages that become columns of their own; what is deeper becomes a STRUCT, and 0 means every level",
		field: func(c *Config) any { return &c.FlattenDepth },
	},
	{
		Name: "log_level", Key: "logging.level", LegacyEnv: "MCAP_LOG_LEVEL",
		Default: "INFO", Choices: []string{"DEBUG", "INFO", "WARNING", "ERROR"}, Commands: []string{Any},
		Help:  "least level of what is logged to stderr; unset, commands other than serve and mcp log from WARNING on",
		field: func(c *Config) any { return &c.LogLevel },
	},
	{
		Name: "log_format", Key: "logging.format",
		Default: "auto", Choices: []string{"auto", "text", "json"}, Commands: []string{"serve", "mcp"},
		Help:  "form of the log; auto is text on a terminal, else JSON",
		field: func(c *Config) any { return &c.LogFormat },
	},
	{
		Name: "api_listen", Key: "server.api_listen",
		Default: "127.0.0.1:8081", Commands: []string{"serve"},
		Help:  "address that serve listens on; other than loopback needs auth_token or insecure",
		field: func(c *Config) any { return (*address)(&c.APIListen) },
	},
	{
		Name: "auth_token", Key: "server.auth_token",
		Default: "", DefaultDoc: "none", Secret: true,
		Help:  "token that HTTP clients must send as a bearer",
		field: func(c *Config) any { return &c.AuthToken },
	},
	{
		Name: "insecure", Key: "server.insecure",
		Default: false, Commands: []string{"serve"},
		Help:  "listen beyond loopback without a token",
		field: func(c *Config) any { return &c.Insecure },
	},
	{
		Name: "allowed_hosts", Key: "server.allowed_hosts",
		Default: []string{}, DefaultDoc: "none", Commands: []string{"serve"},
		Help:  "host names, besides loopback, that HTTP requests may be addressed to; several are joined by commas, or an array in the file",
		field: func(c *Config) any { return (*names)(&c.AllowedHosts) },
	},
	{
		Name: "store_dir", Key: "store.dir",
		Default: "", DefaultDoc: "tapedeck in the user's data folder", Commands: sessionCommands,
		Help:  "folder for the agent sessions",
		field: func(c *Config) any { return (*path)(&c.StoreDir) },
	},
	{
		Name: "postgres", Key: "store.postgres",
		Default: "", DefaultDoc: "none", Commands: sessionCommands,
		Help:  "database of PostgreSQL for the agent sessions, instead of store_dir; its password is better kept in PGPASSWORD or ~/.pgpass",
		field: func(c *Config) any { return (*dsn)(&c.Postgres) },
	},
	{
		Name: "import", Key: "server.import",
		Default: ImportAuto, Choices: []string{ImportAuto, ImportOff}, Commands: []string{"serve"},
		Help:  "whether serve takes in the sessions of agents as they are written",
		field: func(c *Config) any { return &c.Import },
	},
	{
		Name: "tools", Key: "server.tools",
		Default: []string{ToolsRecordings, ToolsSessions, ToolsSearch}, Choices: []string{ToolsRecordings, ToolsSessions, ToolsSearch},
		Commands: []string{"serve", "mcp"},
		Help:     "which tools MCP clients get; several are joined by commas, or an array in the file, which may be empty",
		field:    func(c *Config) any { return (*names)(&c.Tools) },
	},
	{
		Name: "embedding_provider", Key: "embedding.provider",
		Default: ProviderBuiltin, Choices: []string{ProviderBuiltin, ProviderOllama, ProviderOpenAI, ProviderNone}, Commands: searchCommands,
		Help:  "what turns texts into vectors for the search by meaning; none turns search off",
		field: func(c *Config) any { return &c.EmbeddingProvider },
	},
	{
		Name: "embedding_target", Key: "embedding.target",
		Default: "", DefaultDoc: "http://localhost:11434 for ollama, https://api.openai.com for openai", Commands: searchCommands,
		Help:  "address of the embedding provider, or of a server that speaks its API",
		field: func(c *Config) any { return (*target)(&c.EmbeddingTarget) },
	},
	{
		Name: "embedding_model", Key: "embedding.model",
		Default: "", DefaultDoc: "embeddinggemma for ollama, text-embedding-3-small for openai", Commands: searchCommands,
		Help:  "model that makes the vectors; another one fills the index anew",
		field: func(c *Config) any { return &c.EmbeddingModel },
	},
	{
		Name: "embedding_dimensions", Key: "embedding.dimensions",
		Default: 0, DefaultDoc: "0: as many as the model gives", Min: 0, Max: 16384, Commands: searchCommands,
		Help:  "how many numbers a vector is to have, for models that can give fewer",
		field: func(c *Config) any { return &c.EmbeddingDimensions },
	},
	{
		Name: "embedding_key", Key: "embedding.key",
		Default: "", DefaultDoc: "none; for openai that of `OPENAI_API_KEY`", Secret: true,
		Help:  "key that the embedding provider wants",
		field: func(c *Config) any { return &c.EmbeddingKey },
	},
	{
		Name: "vector_store_target", Key: "store.vector_store_target",
		Default: "", DefaultDoc: "where the sessions are", Commands: append([]string{"sessions rm"}, searchCommands...),
		Help:  "database of PostgreSQL with pgvector for the vectors",
		field: func(c *Config) any { return (*dsn)(&c.VectorStoreTarget) },
	},
}

// ignored are spellings of the Python server that say what the command now says.
var ignored = struct{ keys, env []string }{
	keys: []string{"server.transport", "server.sse_port"},
	env:  []string{"MCAP_TRANSPORT", "MCAP_SSE_PORT"},
}

// Settings returns the table, in the order in which it is shown.
func Settings() []Setting { return slices.Clone(settings) }

// keys are the setting's keys in a file, ours first.
func (s *Setting) keys() []string {
	if s.LegacyKey == "" {
		return []string{s.Key}
	}
	return []string{s.Key, s.LegacyKey}
}

// Env is the setting's environment variable.
func (s Setting) Env() string { return envPrefix + strings.ToUpper(s.Name) }

// Flag is the setting's flag without dashes in front; a secret has none.
func (s Setting) Flag() string {
	if s.Secret {
		return ""
	}
	return strings.ReplaceAll(s.Name, "_", "-")
}

// DefaultText is the default as texts show it.
func (s Setting) DefaultText() string {
	if s.DefaultDoc != "" {
		return s.DefaultDoc
	}
	return formatValue(s.Default, s.separator())
}

const envPrefix = "TAPEDECK_"

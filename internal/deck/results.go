package deck

import (
	"encoding/json"

	"tapedeck/internal/query"
	"tapedeck/internal/recording"
)

// The results below have the fields that the Python MCAP server gives, in its
// order, and ours behind them. JSON tags are the promise.

// ListRequest picks recordings. Times are ISO 8601; empty means no bound.
type ListRequest struct {
	Path   string // folder to scan instead of the data folders
	After  string // keeps recordings that end at or after it
	Before string // keeps recordings that start at or before it
	Offset int    // recordings to leave out at the front
	Limit  int    // recordings to return at most; 0: all
}

// RecordingList is what list_recordings finds, by start time.
type RecordingList struct {
	Recordings []RecordingSummary `json:"recordings"`
	Total      int                `json:"total"`
	Problems   []Problem          `json:"problems,omitempty"`
	// The rest is for answers that are bounded: what was left out, and where to go on.
	ProblemsOmitted int    `json:"problems_omitted,omitempty"`
	NextOffset      int    `json:"next_offset,omitempty"`
	Note            string `json:"note,omitempty"`
}

// RecordingSummary is one recording in a list.
type RecordingSummary struct {
	File         string           `json:"file"`
	Path         string           `json:"path"`
	SizeMB       float64          `json:"size_mb"`
	StartTime    string           `json:"start_time"`
	EndTime      string           `json:"end_time"`
	DurationS    float64          `json:"duration_s"`
	MessageCount uint64           `json:"message_count"`
	Channels     []ChannelSummary `json:"channels"`
	MetadataKeys []string         `json:"metadata_keys"`
	TimeNote     string           `json:"time_note,omitempty"` // what a reader of the times must know
	// These count what a bounded answer left out.
	ChannelsOmitted     int `json:"channels_omitted,omitempty"`
	MetadataKeysOmitted int `json:"metadata_keys_omitted,omitempty"`
}

// ChannelSummary is one topic of a recording in a list.
type ChannelSummary struct {
	Topic        string `json:"topic"`
	MessageCount uint64 `json:"message_count"`
	Schema       string `json:"schema"`
}

// Problem is an entry of a folder that is no readable recording.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// RecordingInfo is all that a recording says of itself.
type RecordingInfo struct {
	File         string                       `json:"file"`
	Path         string                       `json:"path"`
	SizeMB       float64                      `json:"size_mb"`
	Library      string                       `json:"library"`
	StartTime    string                       `json:"start_time"`
	EndTime      string                       `json:"end_time"`
	DurationS    float64                      `json:"duration_s"`
	MessageCount uint64                       `json:"message_count"`
	Channels     map[string]ChannelInfo       `json:"channels"` // by topic
	Metadata     map[string]map[string]string `json:"metadata"` // by record name; records of one name are merged
	Attachments  []AttachmentInfo             `json:"attachments"`
	Profile      string                       `json:"profile"`
	Compression  []string                     `json:"compression"`
	TimeNote     string                       `json:"time_note,omitempty"` // what a reader of the times must know
	// MetadataRecords are the records one by one, when names repeat.
	MetadataRecords []MetadataRecord    `json:"metadata_records,omitempty"`
	Warnings        []recording.Warning `json:"warnings,omitempty"`
	Note            string              `json:"note,omitempty"` // what a bounded answer left out
}

// MetadataRecord is one metadata record.
type MetadataRecord struct {
	Name   string            `json:"name"`
	Values map[string]string `json:"values"`
}

// ChannelInfo is a topic with its encodings. Several channels of one topic are counted together.
type ChannelInfo struct {
	SchemaName      string  `json:"schema_name"`
	MessageEncoding string  `json:"message_encoding"`
	MessageCount    uint64  `json:"message_count"`
	SchemaEncoding  string  `json:"schema_encoding"`
	Channels        int     `json:"channels"`
	Decoder         string  `json:"decoder"` // empty: no decoder claims it
	MeanBytes       float64 `json:"mean_bytes"`
}

// AttachmentInfo is a file carried in a recording.
type AttachmentInfo struct {
	Name      string `json:"name"`
	SizeBytes uint64 `json:"size_bytes"` // of its data
	MediaType string `json:"media_type"`
}

// RecordingSchema is what load_recording would make of a recording.
type RecordingSchema struct {
	File          string                 `json:"file"`
	Topics        map[string]TopicSchema `json:"topics"`
	MetadataTable string                 `json:"metadata_table"`
	SQLHint       string                 `json:"sql_hint"`
	SkippedTopics []SkippedTopic         `json:"skipped_topics,omitempty"`
	Omitted       []string               `json:"omitted,omitempty"` // topics that a bounded answer only names
	Note          string                 `json:"note,omitempty"`    // what a bounded answer left out
}

// TopicSchema is the table of one topic.
type TopicSchema struct {
	TableName       string   `json:"table_name"`
	MessageCount    uint64   `json:"message_count"`
	SchemaName      string   `json:"schema_name"`
	MessageEncoding string   `json:"message_encoding"`
	Fields          []Field  `json:"fields"`
	SQLName         string   `json:"sql_name,omitempty"` // quoted, when the name needs it
	Inferred        bool     `json:"inferred,omitempty"` // from messages, since no schema says
	Warnings        []string `json:"warnings,omitempty"`
	FieldsOmitted   int      `json:"fields_omitted,omitempty"` // by a bounded answer
}

// Field is a column.
type Field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	// OmittedByDefault marks the size that stands for a large BLOB unless blobs are asked for.
	OmittedByDefault bool `json:"omitted_by_default,omitempty"`
}

// SkippedTopic is a topic that becomes no table.
type SkippedTopic struct {
	Topic  string `json:"topic"`
	Reason string `json:"reason"`
}

// LoadRequest says what to load. Times are ISO 8601 or epoch microseconds.
type LoadRequest struct {
	File           string
	Alias          string
	Topics         []string
	StartTime      string
	EndTime        string
	Downsample     int
	MessageColumns bool
	Blobs          string // "", "load", "omit"
}

// LoadResult is what a load made.
type LoadResult struct {
	Status          string                 `json:"status"` // "loaded"
	File            string                 `json:"file"`
	Alias           string                 `json:"alias"`
	Tables          map[string]LoadedTable `json:"tables"`
	SkippedTopics   []string               `json:"skipped_topics"`
	SkippedReason   *string                `json:"skipped_reason"`
	TotalRows       uint64                 `json:"total_rows"`
	MemoryMB        float64                `json:"memory_mb"`
	MemoryUsedMB    float64                `json:"memory_used_mb"`
	MemoryBudgetMB  float64                `json:"memory_budget_mb"`
	LoadTimeS       float64                `json:"load_time_s"`
	EvictedTables   []string               `json:"evicted_tables,omitempty"`
	EvictionWarning string                 `json:"eviction_warning,omitempty"`
	ReplacedTables  []string               `json:"replaced_tables,omitempty"`
	FromCache       bool                   `json:"from_cache"`
	Lossy           bool                   `json:"lossy"` // the tables lack something that the recording should hold: see warnings and undecoded
	Skipped         []SkippedTopic         `json:"skipped,omitempty"`
	Undecoded       map[string]Undecoded   `json:"undecoded,omitempty"` // by topic
	Warnings        []string               `json:"warnings,omitempty"`
	Note            string                 `json:"note,omitempty"` // what a bounded answer left out
}

// LoadedTable is a table as loaded.
type LoadedTable struct {
	Rows           uint64   `json:"rows"`
	Columns        int      `json:"columns"`
	Topic          string   `json:"topic,omitempty"`
	SQLName        string   `json:"sql_name,omitempty"`
	OmittedColumns []string `json:"omitted_columns,omitempty"`
}

// Undecoded counts messages of a topic that could not be decoded.
type Undecoded struct {
	Messages uint64 `json:"messages"`
	Reason   string `json:"reason"` // the first one
}

// QueryRequest is a statement with the caller's limits; zero means the configured ones.
type QueryRequest struct {
	SQL      string
	Limit    int
	MaxBytes int
	TimeoutS float64
}

// QueryResult is the answer to a statement.
type QueryResult = query.Result

// Version is what get_version says.
type Version struct {
	Version  string   `json:"version"`
	Decoders []string `json:"decoders"`
	Upgrade  string   `json:"upgrade"`
}

// Error is a failure that the caller can do something about. Faces show it as it is.
type Error struct {
	Code         string   `json:"code"`  // stable word, see the constants below
	Message      string   `json:"error"` // what was wrong
	Hint         string   `json:"hint,omitempty"`
	Nearest      []string `json:"nearest,omitempty"`      // the nearest right things
	Candidates   []string `json:"candidates,omitempty"`   // what an ambiguous name may mean
	LoadedTables []string `json:"loaded_tables,omitzero"` // with CodeMissingTable, always, also empty
	FoundIn      []string `json:"found_in,omitempty"`     // recordings known to hold the missing table
	Err          error    `json:"-"`
}

// The codes of Error.
const (
	CodeFileNotFound   = "file_not_found"
	CodeFileAmbiguous  = "file_ambiguous"
	CodeFileForbidden  = "file_forbidden"
	CodeFileUnreadable = "file_unreadable"
	CodeNotRecording   = "not_a_recording"
	CodeUnknownTopic   = "unknown_topic"
	CodeBadAlias       = "bad_alias"
	CodeBadTime        = "bad_time"
	CodeBadArgument    = "bad_argument"
	CodeRefused        = "statement_refused"
	CodeSQL            = "sql_error"
	CodeMissingTable   = "missing_table"
	CodeTimeout        = "timeout"
	CodeMemory         = "memory_limit"
	CodeWorker         = "worker_failed"
	CodeCancelled      = "cancelled"
	CodeInternal       = "internal"
)

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// JSON is the error as faces send it.
func (e *Error) JSON() []byte {
	text, err := json.Marshal(e)
	if err != nil {
		return []byte(`{"code":"internal","error":"the error could not be written"}`)
	}
	return text
}

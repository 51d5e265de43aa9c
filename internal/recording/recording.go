package recording

import (
	"context"
	"errors"

	"tapedeck/decode"
)

var (
	// ErrNotRecording: the file is of no kind that tapedeck reads. The error
	// says in one sentence what it seems to be and what to do.
	ErrNotRecording = errors.New("not a recording")
	// ErrDamaged: not even the beginning of the recording can be read.
	ErrDamaged = errors.New("recording is damaged")
)

// Summary is what a recording says of itself, checked against its records.
// Times are nanoseconds, as recorded: usually, not always, since the Unix epoch.
type Summary struct {
	Size         int64
	Profile      string
	Library      string
	Start, End   uint64     // log time of the first and the last message; 0 without messages
	MessageCount uint64     // of the messages whose channel is known
	Channels     []*Channel // by topic, then by id
	Metadata     []Metadata // in file order; names may repeat
	Attachments  []Attachment
	Compression  []string  // names of the chunk compressions in use; "none" for plain chunks
	Indexed      bool      // the counts come from an index, not from a scan
	Ordered      bool      // no block begins before an earlier one ends, in log time
	Warnings     []Warning // what is damaged or odd

	// Redefined tells, in file order, where channel ids change their meaning.
	// It is empty in a sound file, and else lists only the ids that do.
	Redefined []Redefinition
}

// Channel is a stream of messages with one topic and one schema. The same topic
// may have several channels, and a damaged file several channels with one id.
type Channel struct {
	ID              uint16
	Topic           string
	MessageEncoding string
	Schema          *Schema // nil: the channel has none, or names one that the file lacks
	SchemaID        uint16
	Metadata        map[string]string
	Count           uint64
	MeanSize        float64 // bytes a message: exact after a scan, else over a sample from the channel's first chunks
	Start, End      uint64  // log times, when known from a scan; else 0
}

// Schema is a message definition with its id in the file.
type Schema struct {
	ID uint16
	decode.Schema
}

// Redefinition is a place from which on a channel's id means that channel.
type Redefinition struct {
	Block   int64 // offset of the block
	At      int64 // offset in the block's records, as they are when decompressed
	Channel *Channel
}

// Metadata is a named set of strings.
type Metadata struct {
	Name   string
	Values map[string]string
}

// Attachment describes a file carried in a recording.
type Attachment struct {
	Name      string
	MediaType string
	Size      uint64 // bytes of data
	LogTime   uint64
}

// Message is one message. Data is good until the function that got the message returns.
type Message struct {
	Channel     *Channel
	LogTime     uint64
	PublishTime uint64
	Sequence    uint32
	Data        []byte
}

// Selection picks messages.
type Selection struct {
	Channels map[*Channel]bool // nil: all
	From     uint64            // log time, included
	Until    uint64            // log time, not included, when HasUntil
	HasUntil bool
}

// Covers reports whether a message of log time t is in the selected window.
func (s *Selection) Covers(t uint64) bool {
	return t >= s.From && (!s.HasUntil || t < s.Until)
}

// Overlaps reports whether any log time from start to end, both included, is in
// the selected window.
func (s *Selection) Overlaps(start, end uint64) bool {
	return end >= s.From && (!s.HasUntil || start < s.Until)
}

// Selects reports whether the channel's messages are wanted.
func (s *Selection) Selects(c *Channel) bool {
	return s.Channels == nil || s.Channels[c]
}

// Block is a run of messages that can be read apart from all others, by any
// goroutine: a chunk, or messages that lie outside of chunks.
type Block interface {
	// Offset is where the block begins in the file.
	Offset() int64
	// Messages calls yield for each selected message in the order of the file.
	// What is damaged comes back as warnings, with the rest saved; the error is
	// yield's own.
	Messages(scratch *Scratch, yield func(*Message) error) ([]Warning, error)
}

// File is an open recording. Blocks and Summary may be called from several
// goroutines.
type File interface {
	// Summary reads what can be known without decoding: by the index where
	// there is one that holds, by a scan of all records where there is none.
	// Every error wraps ErrNotRecording or ErrDamaged, or is one of reading.
	Summary(ctx context.Context) (*Summary, error)
	// Blocks calls yield for each block that may hold selected messages, in the
	// order of the file. Channels are those of sum, which came from Summary of
	// the same file, or was kept from an earlier one. The warnings tell what
	// lies between blocks and was lost.
	Blocks(ctx context.Context, sum *Summary, sel Selection, yield func(Block) error) ([]Warning, error)
	Close() error
}

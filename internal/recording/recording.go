package recording

import (
	"context"
	"errors"
	"fmt"

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
	Start, End   uint64 // log time of the first and the last message; 0 without messages
	MessageCount uint64
	Channels     []*Channel // by topic, then by id
	Metadata     []Metadata // in file order; names may repeat
	Attachments  []Attachment
	Compression  []string  // names of the chunk compressions in use; "none" for plain chunks
	Indexed      bool      // the counts come from an index, not from a scan
	Ordered      bool      // no chunk begins before an earlier one ends
	Warnings     []Warning // what is damaged or odd
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
	MeanSize        float64 // bytes a message, over a sample from the channel's first chunks
	Start, End      uint64  // log times, when known from a scan; else 0
}

// Schema is a message definition with its id in the file.
type Schema struct {
	ID uint16
	decode.Schema
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

// Warning tells what is damaged or odd in a recording and what became of it.
type Warning struct {
	Code   string `json:"code"`   // stable word, such as "truncated", "bad_chunk", "statistics_wrong"
	Offset int64  `json:"offset"` // in the file; -1 where there is no one place
	Text   string `json:"text"`   // what was expected and found, what was saved and lost
}

// String is the warning in one line.
func (w Warning) String() string {
	if w.Offset < 0 {
		return w.Text
	}
	return fmt.Sprintf("%s (at byte %d)", w.Text, w.Offset)
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
	// the same file. The warnings tell what lies between blocks and was lost.
	Blocks(ctx context.Context, sum *Summary, sel Selection, yield func(Block) error) ([]Warning, error)
	Close() error
}

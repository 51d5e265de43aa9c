package decode

import "errors"

var (
	// ErrTruncated: the message ends before the schema says so.
	ErrTruncated = errors.New("message ends early")
	// ErrWiden: a value does not fit the columns as they are now; the plan is
	// an [Inferrer] that must observe the messages first.
	ErrWiden = errors.New("a value does not fit its column")
	// ErrExpands: the message would take far more room in columns than it has bytes.
	ErrExpands = errors.New("message becomes far larger than it is")
	// ErrSchema: the schema can't be used. It wraps the reason.
	ErrSchema = errors.New("schema can't be used")
)

// Schema is a message definition as a recording holds it.
type Schema struct {
	Name     string // of the root type
	Encoding string // such as "ros2msg", "protobuf", "jsonschema"; empty when there is none
	Data     []byte
}

// Options say how messages become columns.
type Options struct {
	// FlattenDepth is how many levels of nested messages are joined into column
	// names; deeper ones become STRUCT columns. 0 means every level.
	FlattenDepth int
	// Reserved are column names that the table needs for itself.
	Reserved []string
}

// Decoder makes plans for the encodings that it claims. It is safe for
// concurrent use.
type Decoder interface {
	// Name is the decoder's name in get_version, such as "Ros2Decoder".
	Name() string
	// Claims reports whether it decodes messages of this pair of encodings.
	Claims(messageEncoding, schemaEncoding string) bool
	// Compile makes a plan from a schema. A schema that can't be used gives an
	// error that wraps ErrSchema and names the first reason.
	Compile(schema Schema, opt Options) (Plan, error)
}

// Plan appends messages of one schema to batches of its columns. It is for one
// goroutine at a time.
type Plan interface {
	// Columns are the columns that a message becomes. They stay the same,
	// except for an Inferrer's.
	Columns() []Column
	// Decode appends exactly one value to each column of b, which was made from
	// Columns, and calls CloseRow. After an error the caller must call
	// b.DropRow. It keeps no reference to msg.
	Decode(msg []byte, b *Batch) error
	// Fork returns a plan that does the same, for another goroutine.
	Fork() Plan
}

// Inferrer is a plan whose columns depend on the messages too, as those of
// JSON do. Its Decode gives ErrWiden for a message that does not fit; when all
// messages have been observed it never does.
type Inferrer interface {
	Plan
	// Observe widens the columns so that msg fits. A message that can't be read
	// at all changes nothing and gives an error.
	Observe(msg []byte) error
	// Settled reports whether the schema alone gives the columns, so that
	// they change only where messages break it.
	Settled() bool
	// Warnings tell, a line each, where messages did not keep to the schema.
	Warnings() []string
}

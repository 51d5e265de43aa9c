package idl

import (
	"fmt"
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// Bounds on a text. Real ones stay far below.
const (
	maxSource   = 1 << 20           // bytes
	maxTokens   = 1 << 18           // words and signs
	maxNesting  = decode.MaxNesting // modules, types and parentheses in one another
	maxMembers  = decode.MaxFields  // members of all types that a message reaches
	maxOperands = 256               // of one expression
)

type decoder struct {
	name           string
	schemaEncoding string
	extensibility  cdr.Extensibility // of types that don't say
}

// ROS2 returns the decoder of "cdr" messages with "ros2idl" schemas. Types are
// final unless they say otherwise, as ROS 2 writes them.
func ROS2() decode.Decoder {
	return decoder{name: "Ros2IdlDecoder", schemaEncoding: "ros2idl", extensibility: cdr.Final}
}

// OMG returns the decoder of "cdr" messages with "omgidl" schemas. Types that
// don't say so are appendable by DDS-XTypes 1.3, 7.3.1.2, and final by the
// defaults of some compilers: the message shows which.
func OMG() decode.Decoder {
	return decoder{name: "OmgIdlDecoder", schemaEncoding: "omgidl", extensibility: cdr.Unsaid}
}

func (d decoder) Name() string { return d.name }

func (d decoder) Claims(messageEncoding, schemaEncoding string) bool {
	return messageEncoding == "cdr" && schemaEncoding == d.schemaEncoding
}

func (d decoder) Compile(schema decode.Schema, opt decode.Options) (decode.Plan, error) {
	root, err := d.model(schema)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	return cdr.Compile(root, cdr.CDR, opt)
}

// model reads the text and returns the type that the schema names.
func (d decoder) model(schema decode.Schema) (*cdr.Type, error) {
	if len(schema.Data) > maxSource {
		return nil, fmt.Errorf("the definition has %d bytes; at most %d are read", len(schema.Data), maxSource)
	}
	file, err := parse(strings.TrimRight(string(schema.Data), "\x00"))
	if err != nil {
		return nil, err
	}
	root, err := file.root(schema.Name)
	if err != nil {
		return nil, err
	}
	return newBuilder(d.extensibility).message(root)
}

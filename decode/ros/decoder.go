package ros

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// ROS1 returns the decoder of ROS 1 messages, "Ros1Decoder".
func ROS1() decode.Decoder { return decoder{&ros1} }

// ROS2 returns the decoder of ROS 2 messages with .msg schemas, "Ros2Decoder".
func ROS2() decode.Decoder { return decoder{&ros2} }

// dialect is what ROS 1 and ROS 2 do differently.
type dialect struct {
	decoder          string
	messageEncodings []string
	schemaEncoding   string
	format           cdr.Format
	primitives       map[string]cdr.Kind
	wellKnown        map[string]string // definitions that recordings may leave out
	pairIsTime       bool              // see isPair
	emptyBytes       int               // how long a message without fields is at most
	alwaysDefined    bool              // no text is the definition of a type without fields
	dummy            bool              // a struct without fields has a dummy member
	restIsText       bool              // a string constant goes to the end of its line
}

type decoder struct{ *dialect }

// Name implements decode.Decoder.
func (d decoder) Name() string { return d.decoder }

// Claims implements decode.Decoder.
func (d decoder) Claims(messageEncoding, schemaEncoding string) bool {
	return schemaEncoding == d.schemaEncoding && slices.Contains(d.messageEncodings, messageEncoding)
}

// Compile implements decode.Decoder.
func (d decoder) Compile(schema decode.Schema, opt decode.Options) (decode.Plan, error) {
	root, err := d.parse(schema)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	plan, err := cdr.Compile(root, d.format, opt)
	if err == nil && isBlank(schema.Data) {
		plan = emptyPlan{Plan: plan, name: schema.Name, limit: d.emptyBytes}
	}
	return plan, err
}

// parse returns the type that a schema defines.
func (d *dialect) parse(schema decode.Schema) (*cdr.Type, error) {
	name := cleanName(schema.Name)
	switch text := strings.TrimSpace(string(schema.Data)); {
	case text == "" && !d.mayBeEmpty(name):
		return nil, fmt.Errorf("the recording holds no definition of %s", schema.Name)
	case text != "" && cleanName(text) == name:
		return nil, fmt.Errorf("the recording holds no definition of %s, only its name", schema.Name)
	}
	sections, err := split(string(schema.Data))
	if err != nil {
		return nil, err
	}
	if sections, err = d.rootFirst(schema.Name, sections); err != nil {
		return nil, err
	}
	return d.resolve(sections)
}

package flatbuffer

import (
	"fmt"

	"tapedeck/decode"
)

// New returns the decoder of FlatBuffers messages.
func New() decode.Decoder { return decoder{} }

type decoder struct{}

// Name implements [decode.Decoder].
func (decoder) Name() string { return "FlatBufferDecoder" }

// Claims implements [decode.Decoder].
func (decoder) Claims(messageEncoding, schemaEncoding string) bool {
	return messageEncoding == "flatbuffer" && schemaEncoding == "flatbuffer"
}

// Compile implements [decode.Decoder].
func (decoder) Compile(schema decode.Schema, opt decode.Options) (decode.Plan, error) {
	s, err := parseSchema(schema.Data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	root, err := s.rootIndex(schema.Name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	return compile(s, root, opt)
}

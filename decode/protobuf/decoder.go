package protobuf

import (
	"fmt"

	"tapedeck/decode"
)

// New returns the decoder of protobuf messages.
func New() decode.Decoder { return decoder{} }

type decoder struct{}

// Name implements [decode.Decoder].
func (decoder) Name() string { return "ProtobufDecoder" }

// Claims implements [decode.Decoder].
func (decoder) Claims(messageEncoding, schemaEncoding string) bool {
	return messageEncoding == "protobuf" && schemaEncoding == "protobuf"
}

// Compile implements [decode.Decoder].
func (decoder) Compile(schema decode.Schema, opt decode.Options) (decode.Plan, error) {
	files, err := parseFiles(schema.Data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	root, err := files.message(schema.Name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	return compile(root, files, opt)
}

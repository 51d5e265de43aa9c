package protobuf

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
)

// describe returns the comments on a field, before and behind it.
func describe(fd protoreflect.FieldDescriptor) string {
	loc := fd.ParentFile().SourceLocations().ByDescriptor(fd)
	return decode.Describe(loc.LeadingComments + " " + loc.TrailingComments)
}

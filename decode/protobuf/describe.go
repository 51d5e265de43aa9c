package protobuf

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// describe returns the comments on a field, before and behind it, in one line.
func describe(fd protoreflect.FieldDescriptor) string {
	loc := fd.ParentFile().SourceLocations().ByDescriptor(fd)
	text := loc.LeadingComments + " " + loc.TrailingComments
	if len(text) > 4*maxDescription {
		text = text[:4*maxDescription]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= maxDescription {
		return text
	}
	end := maxDescription
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

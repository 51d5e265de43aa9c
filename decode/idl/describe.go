package idl

import (
	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// describe returns what is to be known of a member, in one line: its comments,
// its unit, its bounds and default, the bits of its type.
func (b *builder) describe(n notes, t *cdr.Type) string {
	parts := []string{n.verbatim(), n.comment}
	if unit := n.text("unit"); unit != "" {
		parts = append(parts, "unit: "+unit)
	}
	parts = append(parts, n.bounds())
	if standard := n.text("default"); standard != "" {
		parts = append(parts, "default: "+standard)
	}
	return decode.Describe(append(parts, b.legends[t])...)
}

// verbatim returns the text of @verbatim(language="comment", text="...").
func (n notes) verbatim() string {
	a := n.find("verbatim")
	if a == nil || a.texts["language"] != "comment" {
		return ""
	}
	return a.texts["text"]
}

// bounds returns what @range, @min and @max say.
func (n notes) bounds() string {
	low, high := n.text("min"), n.text("max")
	if a := n.find("range"); a != nil {
		low, high = a.texts["min"], a.texts["max"]
	}
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return "range: from " + low
	case low == "":
		return "range: to " + high
	}
	return "range: " + low + " to " + high
}

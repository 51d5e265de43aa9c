package ros

import (
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// explain describes the members of a definition, which are its fields: each by
// its comment and the constants that name its values.
func (d *dialect) explain(members []cdr.Member, def definition) {
	for i, f := range def.fields {
		members[i].Description = decode.Describe(strings.Join(f.comment, " "))
	}
	constants := make([]cdr.Constant, len(def.constants))
	for i, c := range def.constants {
		constants[i] = cdr.Constant{Name: c.name, Kind: d.primitives[c.typ], Text: c.value}
	}
	cdr.Explain(members, constants)
}

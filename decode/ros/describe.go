package ros

import (
	"slices"
	"strings"

	"tapedeck/decode/cdr"
)

// maxDescription is how many bytes of a definition describe a field.
const maxDescription = 400

// describe returns a line on each field of a definition: its comment, and the
// constants that name its values.
func (d *dialect) describe(def definition) []string {
	names := make([][]string, len(def.fields))
	byName, byType := index(def.fields)
	for _, c := range def.constants {
		i, found := named(c, byName)
		if found && d.class(def.fields[i].typ.base) != d.class(c.typ) {
			continue
		}
		if !found && d.class(c.typ) == integers {
			i, found = byType[alike(c.typ)]
		}
		if found && i != several {
			names[i] = append(names[i], c.name+"="+c.value)
		}
	}
	lines := make([]string, len(def.fields))
	for i, f := range def.fields {
		parts := []string{strings.Join(strings.Fields(strings.Join(f.comment, " ")), " "), strings.Join(names[i], ", ")}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		lines[i] = shorten(strings.ToValidUTF8(strings.Join(parts, "; "), "\ufffd"))
	}
	return lines
}

// several stands for the field of a type that more than one field is of.
const several = -1

// index returns the fields by name in capitals, and single fields by type.
func index(fields []field) (byName, byType map[string]int) {
	byName, byType = map[string]int{}, map[string]int{}
	for i, f := range fields {
		byName[strings.ToUpper(f.name)] = i
		if f.typ.list != single {
			continue
		}
		t := alike(f.typ.base)
		if _, again := byType[t]; again {
			i = several
		}
		byType[t] = i
	}
	return byName, byType
}

// named returns the field whose values a constant names. Constants start with
// the name of the field, as STATUS_FIX does for status; those that start with
// none are about the only field of their type.
func named(c constant, byName map[string]int) (i int, found bool) {
	const longest = 100 // no name of people's making is longer
	for end := min(len(c.name), longest) - 1; end > 0; end-- {
		if c.name[end] == '_' {
			if i, found = byName[c.name[:end]]; found {
				return i, true
			}
		}
	}
	return 0, false
}

// alike returns one name for the types of a byte, which definitions mix.
func alike(base string) string {
	switch base {
	case "byte", "char":
		return "uint8"
	}
	return base
}

const integers = "integers"

// class returns the same for all types of integers, and the type for the others.
func (d *dialect) class(base string) string {
	if k := d.primitives[base]; cdr.Int8 <= k && k <= cdr.Uint64 {
		return integers
	}
	return base
}

func shorten(s string) string {
	if len(s) <= maxDescription {
		return s
	}
	return strings.ToValidUTF8(s[:maxDescription], "") + "…"
}

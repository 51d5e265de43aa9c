package ros

import (
	"fmt"
	"strconv"
	"strings"
)

// definition is a section, parsed.
type definition struct {
	name      string
	fields    []field
	constants []constant
}

type field struct {
	name    string
	typ     typeRef
	comment []string
}

type constant struct {
	name, typ, value string
}

// typeRef is a type as a field names it.
type typeRef struct {
	base  string
	list  list
	count int // of an array
}

// list says whether a field is one value or many.
type list uint8

const (
	single list = iota
	sequence
	array
)

// parser parses the lines of a section.
type parser struct {
	dialect *dialect
	def     definition
	block   []string  // comment lines since the last blank line or field
	open    *[]string // the comment of the last field, which indented lines go on with
}

func (d *dialect) define(s section) (definition, error) {
	p := parser{dialect: d, def: definition{name: s.name}}
	for _, l := range s.lines {
		if err := p.line(l.text); err != nil {
			return p.def, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
	return p.def, nil
}

func (p *parser) line(text string) error {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		p.block, p.open = nil, nil
		return nil
	case trimmed[0] == '#' && p.open != nil && text[0] != '#':
		*p.open = append(*p.open, commentText(trimmed))
		return nil
	case trimmed[0] == '#':
		p.block, p.open = append(p.block, commentText(trimmed)), nil
		return nil
	}
	block := p.block
	p.block, p.open = nil, nil
	return p.member(trimmed, block)
}

// member parses the line of a field or a constant: a type, a name, then "=" and
// a value for a constant, maybe a default for a field, and maybe a comment.
func (p *parser) member(text string, block []string) error {
	typ, rest := cutSpace(text)
	n := nameLength(rest)
	name, rest := rest[:n], rest[n:]
	value := strings.TrimLeft(rest, " \t")
	spaced := value != rest
	switch {
	case !isName(name):
		return fmt.Errorf("%q is neither a field nor a constant; expected a type and a name", clip(text))
	case strings.HasPrefix(value, "="):
		return p.constant(typ, name, strings.TrimSpace(value[1:]))
	case value != "" && value[0] != '#' && !spaced:
		return fmt.Errorf("%q is no name of a field", clip(name+rest))
	}
	ref, err := parseType(typ)
	if err != nil {
		return err
	}
	_, comment := cutComment(value)
	p.def.fields = append(p.def.fields, field{name, ref, append(block, commentText(comment))})
	if comment != "" {
		p.open = &p.def.fields[len(p.def.fields)-1].comment
	}
	return nil
}

func (p *parser) constant(typ, name, value string) error {
	if _, known := p.dialect.primitives[constantType(typ)]; !known {
		return fmt.Errorf("constant %s is of type %q, which is not a built-in one", name, clip(typ))
	}
	if !p.dialect.restIsText || typ != "string" {
		value, _ = cutComment(value)
	}
	p.def.constants = append(p.def.constants, constant{name, constantType(typ), strings.Trim(value, `"'`)})
	return nil
}

// constantType returns typ without the bound of a bounded string.
func constantType(typ string) string {
	base, _, _ := strings.Cut(typ, "<=")
	return base
}

// parseType parses a type such as string<=10[<=5].
func parseType(text string) (typeRef, error) {
	base, brackets, isList := strings.Cut(text, "[")
	ref := typeRef{base: base}
	if b, bound, bounded := strings.Cut(base, "<="); bounded && (b == "string" || b == "wstring") && isCount(bound) {
		ref.base = b
	}
	if !isTypeName(ref.base) {
		return ref, fmt.Errorf("%q is no type", clip(text))
	}
	if !isList {
		return ref, nil
	}
	size, closed := strings.CutSuffix(brackets, "]")
	bound, bounded := strings.CutPrefix(size, "<=")
	switch {
	case closed && (size == "" || bounded && isCount(bound)):
		ref.list = sequence
	case closed && isCount(size):
		ref.list = array
		ref.count, _ = strconv.Atoi(size)
	default:
		return ref, fmt.Errorf("%q is no type: expected [], [N] or [<=N] behind %s", clip(text), clip(base))
	}
	return ref, nil
}

// isCount reports whether s is a number of things that a message can have.
func isCount(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// cutSpace cuts text at the first white space.
func cutSpace(text string) (before, after string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeft(text[i:], " \t")
}

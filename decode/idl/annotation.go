package idl

import (
	"go/constant"
	"slices"
	"strings"
)

// notes is what annotations and comments say about a definition or a member.
type notes struct {
	comment string // before it and behind it
	applied []annotation
}

type annotation struct {
	name   string            // in lower case
	values []*expr           // of annotations that change what is written
	texts  map[string]string // of those that people read, by parameter; "" for one without a name
	line   int
}

// Annotations that change how a message is written (DDS-XTypes 1.3, 7.3.1.2),
// with parameters that are expressions.
var wireAnnotations = map[string]bool{
	"id": true, "hashid": true, "autoid": true, "optional": true, "value": true, "bit_bound": true,
	"position": true, "extensibility": true, "final": true, "appendable": true, "mutable": true,
}

// Annotations that tell people what a member means.
var textAnnotations = map[string]bool{
	"verbatim": true, "unit": true, "range": true, "min": true, "max": true, "default": true,
}

// annotations reads the annotations in front of a definition or a member and
// the comments around them. Unknown ones are passed over.
func (p *parser) annotations() notes {
	n := notes{comment: p.tok.before}
	for p.is("@") && p.err == nil {
		a := annotation{line: p.tok.line}
		p.next()
		if p.is("annotation") {
			p.skipForeign()
			continue
		}
		a.name = strings.ToLower(p.scopedName().name)
		if p.is("(") {
			p.parameters(&a)
		}
		if wireAnnotations[a.name] || textAnnotations[a.name] {
			n.applied = append(n.applied, a)
		}
		n.comment = joinNotes(joinNotes(n.comment, p.tok.after), p.tok.before)
	}
	return n
}

func (p *parser) parameters(a *annotation) {
	switch {
	case wireAnnotations[a.name]:
		p.wireParameters(a)
	case textAnnotations[a.name]:
		p.textParameters(a)
	default:
		p.skipBalanced()
	}
}

// wireParameters reads (expression) or (name=expression, ...).
func (p *parser) wireParameters(a *annotation) {
	p.expect("(")
	for !p.done(")") {
		e := p.expression()
		if p.accept("=") { // e was the parameter's name
			e = p.expression()
		}
		a.values = append(a.values, e)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// textParameters keeps the words of each parameter as they are written, with
// adjacent strings joined.
func (p *parser) textParameters(a *annotation) {
	a.texts = map[string]string{}
	p.expect("(")
	for !p.done(")") {
		name, text := "", p.words("=", ",", ")")
		if p.accept("=") {
			name, text = text, p.words(",", ")")
		}
		a.texts[name] = oneLine(text)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// words returns all that is written up to a stop that lies in no brackets.
func (p *parser) words(stops ...string) string {
	var text strings.Builder
	for depth := 0; p.tok.kind != endToken; p.next() {
		switch {
		case depth == 0 && slices.ContainsFunc(stops, p.is):
			return text.String()
		case p.is("("), p.is("{"), p.is("["):
			depth++
		case p.is(")"), p.is("}"), p.is("]"):
			depth--
		}
		text.WriteString(p.tok.text)
	}
	return text.String()
}

// find returns the last annotation of a name, or nil.
func (n notes) find(name string) *annotation {
	for i := len(n.applied) - 1; i >= 0; i-- {
		if n.applied[i].name == name {
			return &n.applied[i]
		}
	}
	return nil
}

// text returns the text of an annotation's parameter "value", or "".
func (n notes) text(name string) string {
	a := n.find(name)
	if a == nil {
		return ""
	}
	if v, ok := a.texts["value"]; ok {
		return v
	}
	return a.texts[""]
}

// word returns the name that the parameter is, in lower case: HASH of
// @autoid(HASH). It returns "" when there is none.
func (a annotation) word() string {
	if len(a.values) == 0 || a.values[0].name == nil {
		return ""
	}
	return strings.ToLower(lastPart(a.values[0].name.name))
}

// literal returns the string that the parameter is, or "".
func (a annotation) literal() string {
	if len(a.values) == 0 || a.values[0].literal == nil || a.values[0].literal.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(a.values[0].literal)
}

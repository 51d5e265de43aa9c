package idl

import "tapedeck/decode/cdr"

// Basic types of one word. "int8" and its like are those of IDL 4.2, 7.4.13.
var basicTypes = map[string]cdr.Kind{
	"boolean": cdr.Bool, "octet": cdr.Byte, "char": cdr.Char, "wchar": cdr.WChar,
	"float": cdr.Float32, "double": cdr.Float64,
	"short": cdr.Int16,
	"int8":  cdr.Int8, "int16": cdr.Int16, "int32": cdr.Int32, "int64": cdr.Int64,
	"uint8": cdr.Uint8, "uint16": cdr.Uint16, "uint32": cdr.Uint32, "uint64": cdr.Uint64,
}

// Definitions that no message is made of, and the words in front of them.
var foreignKeywords = map[string]bool{
	"interface": true, "valuetype": true, "eventtype": true, "exception": true, "native": true,
	"component": true, "home": true, "porttype": true, "connector": true,
	"local": true, "abstract": true, "custom": true,
}

// Statements about names that are defined elsewhere.
var idleStatements = map[string]bool{"typeid": true, "typeprefix": true, "import": true}

// Types that no message is made of.
var foreignTypes = map[string]bool{"fixed": true, "any": true, "void": true}

// typeSpec reads a type.
func (p *parser) typeSpec() *typeSpec {
	s := &typeSpec{line: p.tok.line}
	p.open()
	defer p.close()
	p.typeName(s)
	if dims := p.dimensions(); len(dims) > 0 {
		return &typeSpec{form: arrayForm, value: s, dims: dims, line: s.line}
	}
	return s
}

// dimensions reads [2][3], if it is there.
func (p *parser) dimensions() []*expr {
	var dims []*expr
	for p.accept("[") {
		dims = append(dims, p.expression())
		p.expect("]")
	}
	return dims
}

func (p *parser) typeName(s *typeSpec) {
	switch t := p.tok; {
	case t.escaped || t.kind != identToken:
		p.named(s)
	case p.basic(s):
	case t.text == "string" || t.text == "wstring":
		p.text(s)
	case t.text == "sequence":
		p.sequence(s)
	case t.text == "map" && p.followedBy("<"):
		p.mapping(s)
	case foreignTypes[t.text]:
		s.form, s.keyword = foreignForm, t.text
		p.next()
		if p.is("<") {
			p.skipAngles()
		}
	default:
		p.named(s)
	}
}

func (p *parser) named(s *typeSpec) {
	if p.tok.kind != identToken && !p.is("::") {
		p.fail("expected a type, found %s", p.tok)
		return
	}
	s.form, s.name = namedForm, p.scopedName()
}

// basic reads a basic type, if one is there.
func (p *parser) basic(s *typeSpec) bool {
	switch kind, ok := basicTypes[p.tok.text]; {
	case ok:
		s.kind = kind
		p.next()
	case p.accept("long"):
		s.kind = p.long()
	case p.accept("unsigned"):
		s.kind = p.unsigned()
	default:
		return false
	}
	return true
}

// long reads what follows "long".
func (p *parser) long() cdr.Kind {
	switch {
	case p.accept("long"):
		return cdr.Int64
	case p.accept("double"):
		return cdr.LongDouble
	}
	return cdr.Int32
}

// unsigned reads what follows "unsigned".
func (p *parser) unsigned() cdr.Kind {
	switch {
	case p.accept("short"):
		return cdr.Uint16
	case p.accept("long"):
		if p.accept("long") {
			return cdr.Uint64
		}
		return cdr.Uint32
	}
	p.fail("expected \"short\" or \"long\" after \"unsigned\", found %s", p.tok)
	return cdr.Invalid
}

// text reads a string type; its bound is not on the wire.
func (p *parser) text(s *typeSpec) {
	s.kind = cdr.String
	if p.is("wstring") {
		s.kind = cdr.WString
	}
	p.next()
	if p.accept("<") {
		p.angles++
		p.expression()
		p.closeAngle()
	}
}

// sequence reads a sequence type; its bound is not on the wire.
func (p *parser) sequence(s *typeSpec) {
	s.form = sequenceForm
	p.next()
	p.openAngle()
	s.value = p.typeSpec()
	p.bound()
	p.closeAngle()
}

func (p *parser) mapping(s *typeSpec) {
	s.form = mapForm
	p.next()
	p.openAngle()
	s.key = p.typeSpec()
	p.expect(",")
	s.value = p.typeSpec()
	p.bound()
	p.closeAngle()
}

// skipAngles passes over the parameters of a type that no message is made of.
func (p *parser) skipAngles() {
	for !p.done(">") && !p.is(";") {
		p.next()
	}
	p.expect(">")
}

func (p *parser) openAngle() {
	p.expect("<")
	p.angles++
	p.annotations() // such as @external, which changes nothing on the wire
}

func (p *parser) closeAngle() {
	p.angles--
	p.expect(">")
}

func (p *parser) bound() {
	if p.accept(",") {
		p.expression()
	}
}

// typedef reads a typedef behind its keyword.
func (p *parser) typedef(start int) {
	spec := p.typeSpec()
	for p.err == nil {
		d := &decl{scope: p.scope, line: p.tok.line}
		p.name(d, "the name of a typedef")
		p.annotations()
		d.body = typedefBody{spec: spec, dims: p.dimensions()}
		p.declare(d, start)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// constant reads a constant behind its keyword.
func (p *parser) constant(d *decl) {
	spec := p.typeSpec()
	d.name = p.identifier("the name of a constant")
	p.expect("=")
	d.body = constBody{spec: spec, value: p.expression()}
	p.expect(";")
}

// foreign passes over a definition that no message is made of, but for its name.
func (p *parser) foreign(d *decl) {
	for p.tok.kind == identToken && foreignKeywords[p.tok.text] {
		d.body = foreignBody{keyword: p.tok.text}
		p.next()
	}
	if p.tok.kind == identToken {
		d.name = p.tok.text
	}
	p.skipForeign()
}

// skipForeign passes over all tokens up to the ";" that ends the definition.
func (p *parser) skipForeign() {
	for !p.done(";") {
		if p.is("{") || p.is("(") {
			p.skipBalanced()
			continue
		}
		p.next()
	}
	p.expect(";")
}

// skipBalanced passes over a bracket and all up to the one that closes it.
func (p *parser) skipBalanced() {
	line, depth := p.tok.line, 0
	for p.err == nil {
		switch t := p.tok; {
		case t.kind == endToken:
			p.fail("expected the end of what line %d opens, found %s", line, t)
		case t.is("{"), t.is("("), t.is("["):
			depth++
		case t.is("}"), t.is(")"), t.is("]"):
			depth--
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

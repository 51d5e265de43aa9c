package idl

import "strings"

// parser reads a text by recursive descent. The first error ends it: from then
// on the current token is an endToken, which ends every loop.
type parser struct {
	lex      *lexer
	tok      token
	err      error
	file     *file
	scope    *scope
	tokens   int // read so far
	depth    int // modules, types and parentheses that are open
	angles   int // "<" that are open
	operands int // of the expression that is read
}

// parse reads a whole text.
func parse(src string) (*file, error) {
	global := newScope("", nil)
	p := &parser{lex: newLexer(src), file: &file{global: global}, scope: global}
	p.next()
	for !p.done("") {
		p.definition()
	}
	return p.file, p.err
}

// next moves to the next token.
func (p *parser) next() {
	if p.err != nil {
		return
	}
	t, err := p.lex.next()
	if err != nil {
		p.abort(err)
		return
	}
	p.tok = t
	if p.tokens++; p.tokens > maxTokens {
		p.fail("the definition has more than %d words and signs", maxTokens)
	}
}

func (p *parser) abort(err error) {
	if p.err == nil {
		p.err = err
	}
	p.tok = token{kind: endToken, line: p.tok.line}
}

func (p *parser) fail(format string, args ...any) {
	p.abort(errorAt(p.tok.line, format, args...))
}

func (p *parser) is(text string) bool { return p.tok.is(text) }

// followedBy reports whether text is behind the current token.
func (p *parser) followedBy(text string) bool {
	ahead := *p.lex
	t, err := ahead.next()
	return err == nil && t.is(text)
}

// done reports whether a list that ends with closing has ended, be it too early.
func (p *parser) done(closing string) bool {
	return p.tok.kind == endToken || p.is(closing)
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("expected %q, found %s", text, p.tok)
	}
}

// identifier reads a name. Keywords are names too where only a name can stand:
// ROS has members named map and default.
func (p *parser) identifier(what string) string {
	if p.tok.kind != identToken {
		p.fail("expected %s, found %s", what, p.tok)
		return ""
	}
	name := p.tok.text
	p.next()
	return name
}

// scopedName reads a::b::c or ::a::b::c.
func (p *parser) scopedName() ref {
	r := ref{from: p.scope, line: p.tok.line}
	var name strings.Builder
	if p.accept("::") {
		name.WriteString("::")
	}
	name.WriteString(p.identifier("a name"))
	for p.accept("::") {
		name.WriteString("::" + p.identifier("a name"))
	}
	r.name = name.String()
	return r
}

// open counts one more level of nesting; close takes it back.
func (p *parser) open() {
	if p.depth++; p.depth > maxNesting {
		p.fail("expected at most %d levels of nesting", maxNesting)
	}
}

func (p *parser) close() { p.depth-- }

// definition reads one module, type, constant or other definition.
func (p *parser) definition() {
	if p.accept(";") {
		return
	}
	start := p.tok.start
	n := p.annotations()
	d := &decl{scope: p.scope, line: p.tok.line, notes: n}
	switch {
	case p.done(""): // annotation definitions may come last
		return
	case p.accept("module"):
		p.module()
		return
	case p.accept("struct"):
		p.structure(d)
	case p.accept("union"):
		p.union(d)
	case p.accept("enum"):
		p.enumeration(d)
	case p.accept("bitmask"):
		p.bitmask(d)
	case p.accept("bitset"):
		p.bitset(d)
	case p.accept("const"):
		p.constant(d)
	case p.accept("typedef"):
		p.typedef(start)
		return
	case p.tok.kind == identToken && foreignKeywords[p.tok.text]:
		p.foreign(d)
	case p.tok.kind == identToken && idleStatements[p.tok.text]:
		p.skipForeign()
		return
	default:
		p.fail("expected a definition (module, struct, union, enum, typedef, const ...), found %s", p.tok)
	}
	p.declare(d, start)
	p.accept(";") // which some writers leave out behind "}"
}

// declare ends a definition that began at start.
func (p *parser) declare(d *decl, start int) {
	if p.err != nil {
		return
	}
	d.source = p.lex.src[start:p.tok.start]
	d.scope.declare(d)
	if _, ok := d.body.(structBody); ok {
		p.file.structs = append(p.file.structs, d)
	}
}

// name reads the name of the type d. Fast DDS writes types that lie in modules
// without them: struct a::b::C.
func (p *parser) name(d *decl, what string) {
	d.name = p.identifier(what)
	for depth := 0; p.accept("::"); depth++ {
		d.scope = p.enter(d.scope, d.name, d.line)
		d.name = p.identifier(what)
		if depth == maxNesting {
			p.fail("expected at most %d levels of nesting", maxNesting)
		}
	}
}

// enter returns the module of a name in a scope; one that is there is continued.
func (p *parser) enter(outer *scope, name string, line int) *scope {
	d := outer.decls[name]
	if d == nil || d.yields() {
		d = &decl{name: name, scope: outer, line: line, body: moduleBody{}, inner: newScope(name, outer)}
		outer.decls[name] = d
	}
	if _, ok := d.body.(moduleBody); !ok {
		p.fail("module %s: line %d uses this name for something else", d.path(), d.line)
		return outer
	}
	return d.inner
}

// module reads a module.
func (p *parser) module() {
	outer, line := p.scope, p.tok.line
	inner := p.enter(outer, p.identifier("the name of a module"), line)
	p.open()
	p.scope = inner
	p.expect("{")
	for !p.done("}") {
		p.definition()
	}
	p.expect("}")
	p.scope = outer
	p.close()
	p.accept(";")
}

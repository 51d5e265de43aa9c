package idl

// structure reads a struct behind its keyword.
func (p *parser) structure(d *decl) {
	p.name(d, "the name of a struct")
	if p.is(";") {
		d.body = forwardBody{}
		return
	}
	var body structBody
	body.base = p.base()
	p.expect("{")
	for !p.done("}") {
		body.members = append(body.members, p.declarators(p.annotations())...)
		p.expect(";")
		if last := len(body.members) - 1; last >= 0 {
			p.trailing(&body.members[last].notes)
		}
	}
	p.expect("}")
	d.body = body
}

// base reads what a struct or bitset inherits from, if it does.
func (p *parser) base() *ref {
	if !p.accept(":") {
		return nil
	}
	base := p.scopedName()
	return &base
}

// trailing adds the comment behind what was just read.
func (p *parser) trailing(n *notes) { n.comment = joinNotes(n.comment, p.tok.after) }

// declarators reads a type and the members that are declared of it: long a, b[3].
func (p *parser) declarators(n notes) []member {
	spec := p.typeSpec()
	var all []member
	for p.err == nil {
		m := member{spec: spec, notes: n, name: p.identifier("the name of a member")}
		p.annotations() // such as @external, which TAO lets stand here
		m.dims = p.dimensions()
		all = append(all, m)
		if !p.accept(",") {
			break
		}
	}
	return all
}

// union reads a union behind its keyword.
func (p *parser) union(d *decl) {
	p.name(d, "the name of a union")
	if p.is(";") {
		d.body = forwardBody{}
		return
	}
	var body unionBody
	p.expect("switch")
	p.expect("(")
	p.annotations()
	body.discriminator = p.typeSpec()
	p.expect(")")
	p.expect("{")
	for !p.done("}") {
		body.cases = append(body.cases, p.unionCase())
	}
	p.expect("}")
	d.body = body
}

func (p *parser) unionCase() unionCase {
	var c unionCase
	before := p.annotations() // in front of the labels, or of the member behind them
	for p.err == nil {
		if p.accept("case") {
			c.labels = append(c.labels, p.expression())
		} else if p.accept("default") {
			c.other = true
		} else {
			break
		}
		p.expect(":")
	}
	if len(c.labels) == 0 && !c.other {
		p.fail("expected \"case\" or \"default\", found %s", p.tok)
		return c
	}
	n := p.annotations()
	n.comment = joinNotes(before.comment, n.comment)
	n.applied = append(before.applied, n.applied...)
	if members := p.declarators(n); len(members) == 1 {
		c.member = members[0]
	} else {
		p.fail("expected one member behind the labels of a union, found %d", len(members))
	}
	p.expect(";")
	p.trailing(&c.notes)
	return c
}

// enumeration reads an enum behind its keyword.
func (p *parser) enumeration(d *decl) {
	p.name(d, "the name of an enum")
	d.inner = newScope(d.name, d.scope)
	all := p.enumerators("value")
	d.body = enumBody{enumerators: all}
	for _, e := range all {
		// Enumerators are known by their bare name in the scope of the enum.
		value := &decl{name: e.name, scope: d.scope, line: e.line, body: enumeratorBody{enum: d}}
		d.scope.declare(value)
		d.inner.declare(value)
	}
}

// bitmask reads a bitmask behind its keyword.
func (p *parser) bitmask(d *decl) {
	p.name(d, "the name of a bitmask")
	d.body = bitmaskBody{flags: p.enumerators("position")}
}

// enumerators reads { A, @value(3) B, C = 5 }; annotation is what gives a value.
func (p *parser) enumerators(annotation string) []enumerator {
	var all []enumerator
	p.expect("{")
	for !p.done("}") {
		n := p.annotations()
		e := enumerator{line: p.tok.line, name: p.identifier("the name of a value")}
		if a := n.find(annotation); a != nil && len(a.values) > 0 {
			e.value = a.values[0]
		}
		if p.accept("=") {
			e.value = p.expression()
		}
		all = append(all, e)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	return all
}

// bitset reads a bitset behind its keyword.
func (p *parser) bitset(d *decl) {
	p.name(d, "the name of a bitset")
	body := bitsetBody{base: p.base()}
	p.expect("{")
	for !p.done("}") {
		p.annotations()
		body.fields = append(body.fields, p.bitfield())
	}
	p.expect("}")
	d.body = body
}

// bitfield reads bitfield<3> a b; or bitfield<20, unsigned long> c; or
// bitfield<4>; which only takes room.
func (p *parser) bitfield() bitfield {
	var f bitfield
	p.expect("bitfield")
	p.expect("<")
	p.angles++
	f.width = p.expression()
	if p.accept(",") {
		p.typeSpec()
	}
	p.angles--
	p.expect(">")
	for p.tok.kind == identToken && p.err == nil {
		f.names = append(f.names, p.identifier("the name of a bitfield"))
	}
	p.expect(";")
	return f
}

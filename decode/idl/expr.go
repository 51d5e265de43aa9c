package idl

import (
	"go/constant"
	gotoken "go/token"
)

// expr is an expression: an operation, a literal or the name of a constant.
type expr struct {
	op          string // "" for a literal or a name
	left, right *expr  // left is nil when op has one operand
	literal     constant.Value
	name        *ref
	line        int
}

// Binary operators, those that bind least first (IDL 4.2, 7.4.1.4.3).
var precedence = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// expression reads a constant expression. A ">" inside of < and > ends it, so
// that in sequence<sequence<long, 8>> no shift is seen.
func (p *parser) expression() *expr {
	p.operands = 0
	return p.binary(0)
}

func (p *parser) binary(level int) *expr {
	if level == len(precedence) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for p.err == nil {
		op, line := p.operator(precedence[level]), p.tok.line
		if op == "" {
			break
		}
		left = &expr{op: op, left: left, right: p.binary(level + 1), line: line}
	}
	return left
}

// operator reads one of ops, or returns "".
func (p *parser) operator(ops []string) string {
	for _, op := range ops {
		switch {
		case len(op) == 1 && p.accept(op):
			return op
		case len(op) == 2 && p.is(op[:1]) && p.adjacent(op[1]) && (op != ">>" || p.angles == 0):
			p.next()
			p.next()
			return op
		}
	}
	return ""
}

// adjacent reports whether c follows the token without space.
func (p *parser) adjacent(c byte) bool {
	return p.tok.end < len(p.lex.src) && p.lex.src[p.tok.end] == c
}

func (p *parser) unary() *expr {
	e := &expr{line: p.tok.line}
	if p.operands++; p.operands > maxOperands {
		p.fail("expected an expression of at most %d operands", maxOperands)
		return e
	}
	if p.is("+") || p.is("-") || p.is("~") {
		e.op = p.tok.text
		p.next()
		e.right = p.unary()
		return e
	}
	p.primary(e)
	return e
}

func (p *parser) primary(e *expr) {
	switch t := p.tok; {
	case p.accept("("):
		angles := p.angles
		p.angles = 0
		*e = *p.binary(0)
		p.angles = angles
		p.expect(")")
	case t.kind == numberToken:
		v, err := parseNumber(t)
		if err != nil {
			p.abort(err)
			return
		}
		e.literal = v
		p.next()
	case t.kind == charToken:
		e.literal = constant.MakeInt64(charCode(t.text))
		p.next()
	case t.kind == stringToken:
		e.literal = constant.MakeString(p.strings())
	case t.is("TRUE") || t.is("FALSE") || t.is("true") || t.is("false"):
		e.literal = constant.MakeBool(t.text[0]|0x20 == 't')
		p.next()
	case t.kind == identToken || t.is("::"):
		name := p.scopedName()
		e.name = &name
	default:
		p.fail("expected a value or the name of a constant, found %s", t)
	}
}

// strings reads one string or more; they are joined.
func (p *parser) strings() string {
	var text []byte
	for p.tok.kind == stringToken && p.err == nil {
		text = append(text, p.tok.text...)
		p.next()
	}
	return string(text)
}

// Operators of package go/constant, whose integers have no width.
var binaryOps = map[string]gotoken.Token{
	"|": gotoken.OR, "^": gotoken.XOR, "&": gotoken.AND, "+": gotoken.ADD, "-": gotoken.SUB,
	"*": gotoken.MUL, "/": gotoken.QUO, "%": gotoken.REM, "<<": gotoken.SHL, ">>": gotoken.SHR,
}

var unaryOps = map[string]gotoken.Token{"+": gotoken.ADD, "-": gotoken.SUB, "~": gotoken.XOR}

// maxBits bounds the integers that an expression goes through.
const maxBits = 128

// apply computes one operation.
func (e *expr) apply(left, right constant.Value) (constant.Value, error) {
	bothInts := right.Kind() == constant.Int && (left == nil || left.Kind() == constant.Int)
	numbers := isNumber(right) && (left == nil || isNumber(left))
	joins := e.op == "+" && left != nil && left.Kind() == constant.String && right.Kind() == constant.String
	arithmetic := e.op == "+" || e.op == "-" || left != nil && (e.op == "*" || e.op == "/")
	switch {
	case joins && len(constant.StringVal(left))+len(constant.StringVal(right)) > maxSource:
		return nil, errorAt(e.line, "a string constant is longer than %d bytes", maxSource)
	case !bothInts && !joins && !(numbers && arithmetic):
		return nil, errorAt(e.line, "operator %q can't be applied to these operands", e.op)
	case (e.op == "/" || e.op == "%") && constant.Sign(right) == 0:
		return nil, errorAt(e.line, "division by zero")
	}
	v, err := e.compute(left, right, bothInts)
	if err == nil && (v.Kind() == constant.Unknown || v.Kind() == constant.Int && constant.BitLen(v) > maxBits) {
		err = errorAt(e.line, "the result of %q is out of range", e.op)
	}
	return v, err
}

func (e *expr) compute(left, right constant.Value, ints bool) (constant.Value, error) {
	op := binaryOps[e.op]
	switch {
	case left == nil:
		return constant.UnaryOp(unaryOps[e.op], right, 0), nil
	case op == gotoken.SHL || op == gotoken.SHR:
		n, exact := constant.Uint64Val(right)
		if !exact || n > maxBits {
			return nil, errorAt(e.line, "expected a shift by 0 to %d bits, found %s", maxBits, right)
		}
		return constant.Shift(left, op, uint(n)), nil
	case op == gotoken.QUO && ints:
		return constant.BinaryOp(left, gotoken.QUO_ASSIGN, right), nil // the quotient of integers
	}
	return constant.BinaryOp(left, op, right), nil
}

func isNumber(v constant.Value) bool {
	return v.Kind() == constant.Int || v.Kind() == constant.Float
}

package idl

import (
	"go/constant"

	"tapedeck/decode/cdr"
)

// addConstants puts the constants of the module T_Constants, where ROS 2 has
// those of T, in the descriptions of the members that they are for.
func (b *builder) addConstants(d *decl, t *cdr.Type) {
	module := d.scope.decls[d.name+"_Constants"]
	if module == nil || module.inner == nil {
		return
	}
	var constants []cdr.Constant
	for _, c := range module.inner.order {
		body, ok := c.body.(constBody)
		if !ok {
			continue
		}
		if v, err := b.constant(c, body, c.line); err == nil { // a broken one is needed by no message
			constants = append(constants, cdr.Constant{Name: c.name, Kind: body.spec.kind, Text: constantText(v, body.spec.kind)})
		}
	}
	cdr.Explain(t.Members, constants)
}

func constantText(v constant.Value, kind cdr.Kind) string {
	if v.Kind() == constant.Int && (kind == cdr.Char || kind == cdr.WChar) {
		code, _ := constant.Int64Val(v) // a character's code is small
		return "'" + string(rune(code)) + "'"
	}
	return oneLine(v.String())
}

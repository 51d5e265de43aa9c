package cdr

import (
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

// fuzzTypes has each kind of type in each kind of frame.
func fuzzTypes() []*Type {
	color := &Type{Kind: Enum, Name: "Color", Labels: []Label{{"RED", 0}, {"BLUE", 2}}}
	var types []*Type
	for _, e := range []Extensibility{Final, Appendable, Mutable, Unsaid} {
		union := &Type{Kind: Union, Name: "U", Discriminator: color, Extensibility: e, Members: []Member{
			{Name: "i", Type: of(Int32), Cases: []int64{0}, ID: 1}, {Name: "s", Type: of(String), Default: true, ID: 2}}}
		inner := structOf(e, member("x", of(Float64)), optional("o", of(WString)), member("l", seqOf(of(Int16))))
		node := structOf(e, member("u", union), member("kids", nil), member("raw", arrayOf(2, of(Byte))))
		node.Members[1].Type = seqOf(node)
		types = append(types,
			structOf(e, member("s", inner), member("ss", seqOf(inner)), member("u", seqOf(union)), optional("last", inner)),
			structOf(e, member("root", node), member("e", arrayOf(2, color)), member("t", of(Time)), member("w", of(LongDouble))),
			structOf(e, member("z", seqOf(structOf(Final))), member("b", seqOf(of(Bool))), member("c", seqOf(of(Char)))))
	}
	return append(types, everyNumber(), imu())
}

func FuzzDecode(f *testing.F) {
	var plans []decode.Plan
	for _, t := range fuzzTypes() {
		for _, format := range []Format{CDR, ROS1} {
			plans = append(plans, planOf(f, t, format))
		}
	}
	for i := range plans {
		for _, id := range []uint16{cdrLE, cdrBE, plLE, cdr2LE, dcdr2LE, pl2LE} {
			f.Add(uint8(i), cdrtest.CDR(id).U32(1, 2, 0, 1<<28, 4).F64(1).Text("abc").Message())
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, msg []byte) {
		p := plans[int(which)%len(plans)]
		b := decode.NewBatch(p.Columns(), nil)
		for _, m := range [][]byte{msg, msg[:len(msg)/2], msg} {
			if err := decodetest.Check(p, b, m); err != nil {
				t.Fatal(err)
			}
		}
	})
}

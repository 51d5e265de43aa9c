package idl

import (
	"testing"

	"tapedeck/decode"
)

func TestRootIsFoundInEverySpelling(t *testing.T) {
	ros := "module p { module msg { struct A { long ros; }; struct AB { long b; }; }; };"
	dds := "module p { module msg { module dds_ { struct A_ { long dds; }; }; }; };"
	flat := "module p { struct A { long flat; }; };"
	for _, c := range []struct{ src, name, member string }{
		{ros, "p/msg/A", "ros"},
		{ros, "p::msg::A", "ros"},
		{ros, "::p::msg::A", "ros"},
		{ros, "p/A", "ros"},
		{ros, "p::msg::dds_::A_", "ros"},
		{ros, "A", "ros"},
		{ros, "msg::A", "ros"},
		{dds, "p::msg::dds_::A_", "dds"},
		{dds, "p/msg/A", "dds"},
		{dds, "p/A", "dds"},
		{flat, "p::A", "flat"},
		{flat, "p/msg/A", "flat"},
		{flat, "A", "flat"},
		{"struct A_ { long under; };", "A_", "under"},
		{"struct A { long top; }; " + ros, "A", "top"},
		{ros + dds, "p/msg/A", "ros"},
		{ros + dds, "p::msg::dds_::A_", "dds"},
	} {
		for _, d := range []decode.Decoder{ROS2(), OMG()} {
			root, err := compile(d, c.name, c.src)
			if err != nil {
				t.Errorf("%s %q: %v", d.Name(), c.name, err)
				continue
			}
			if got := root.Members[0].Name; got != c.member {
				t.Errorf("%s %q: found the type with member %s, want %s", d.Name(), c.name, got, c.member)
			}
		}
	}
}

func TestMissingRootNamesWhatThereIs(t *testing.T) {
	many := ""
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"} {
		many += "struct " + name + " { long a; };"
	}
	refuse(t, ROS2(), "p/msg/Z", "module p { module msg { struct A { long a; }; }; };", `"p/msg/Z" is missing; the definition has p::msg::A`)
	refuse(t, OMG(), "Z", many, "the definition has A, B, C, D, E, F, G, H and 2 more")
	refuse(t, OMG(), "", many, `the type "" is missing`)
	refuse(t, OMG(), "p", "module p { struct A { long a; }; };", `the type "p" is missing; the definition has p::A`)
}

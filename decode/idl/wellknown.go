package idl

import (
	"strings"

	"tapedeck/decode/cdr"
)

// instant is the shape of a struct that is a time or a duration.
type instant struct {
	kind     cdr.Kind
	seconds  cdr.Kind // the type of the first member
	fraction string   // the name of the second, an uint32 of nanoseconds
}

// instants are the structs that mean a time, by plainName. Fast DDS and others
// write ROS types without the module msg too.
var instants = map[string]instant{
	"builtin_interfaces::msg::Time":     {cdr.Time, cdr.Int32, "nanosec"},
	"builtin_interfaces::msg::Duration": {cdr.Duration, cdr.Int32, "nanosec"},
	"builtin_interfaces::Time":          {cdr.Time, cdr.Int32, "nanosec"},
	"builtin_interfaces::Duration":      {cdr.Duration, cdr.Int32, "nanosec"},
	"foxglove::Time":                    {cdr.Time, cdr.Uint32, "nsec"},
	"foxglove::Duration":                {cdr.Duration, cdr.Int32, "nsec"},
}

// instantOf returns the time or duration that d defines, or nil. A struct that
// bears the name but has other members stays what it is.
func instantOf(d *decl) *cdr.Type {
	want, known := instants[plainName(d.path())]
	body, ok := d.body.(structBody)
	if !known || !ok || body.base != nil || len(body.members) != 2 {
		return nil
	}
	if !body.members[0].isPlain("sec", want.seconds) || !body.members[1].isPlain(want.fraction, cdr.Uint32) {
		return nil
	}
	return &cdr.Type{Kind: want.kind}
}

func (m member) isPlain(name string, kind cdr.Kind) bool {
	return m.name == name && m.spec.form == basicForm && m.spec.kind == kind && len(m.dims) == 0 &&
		m.notes.find("optional") == nil
}

// missing returns a type that texts of ROS 2 use without its definition,
// or nil.
func missing(name string) *cdr.Type {
	switch plainName(strings.TrimPrefix(name, "::")) {
	case "builtin_interfaces::msg::Time":
		return &cdr.Type{Kind: cdr.Time}
	case "builtin_interfaces::msg::Duration":
		return &cdr.Type{Kind: cdr.Duration}
	case "std_msgs::msg::Header":
		return &cdr.Type{Kind: cdr.Struct, Name: "std_msgs::msg::Header", Members: []cdr.Member{
			{Name: "stamp", Type: &cdr.Type{Kind: cdr.Time}},
			{Name: "frame_id", Type: &cdr.Type{Kind: cdr.String}, ID: 1},
		}}
	}
	return nil
}

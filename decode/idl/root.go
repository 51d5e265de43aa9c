package idl

import (
	"fmt"
	"strings"

	"tapedeck/decode"
)

// root returns the struct that a schema's name means. Names come as pkg/msg/Type,
// pkg/Type, pkg::msg::Type, Type, or as DDS spells ROS types, pkg::msg::dds_::Type_;
// the spelling in the text is found whichever it is.
func (f *file) root(name string) (*decl, error) {
	path := strings.TrimPrefix(strings.ReplaceAll(name, "/", "::"), "::")
	if d := f.global.descend(path); d != nil && !d.yields() {
		if _, isModule := d.body.(moduleBody); !isModule {
			return d, nil
		}
	}
	for _, same := range []func(string) bool{
		func(p string) bool { return plainName(p) == plainName(path) },
		func(p string) bool { return withoutKind(plainName(p)) == withoutKind(plainName(path)) },
		func(p string) bool { return strings.HasSuffix(p, "::"+path) },
	} {
		found := f.structsWhere(same)
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("the type %q may be any of %s", name, list(found))
		}
	}
	if len(f.structs) == 0 {
		return nil, fmt.Errorf("the type %q is missing: the definition has no struct", name)
	}
	return nil, fmt.Errorf("the type %q is missing; the definition has %s", name, list(f.structs))
}

func (f *file) structsWhere(match func(path string) bool) []*decl {
	var found []*decl
	for _, d := range f.structs {
		if d.scope.decls[d.name] == d && match(d.path()) {
			found = append(found, d)
		}
	}
	return found
}

// plainName takes out what the ROS 2 middleware puts in names: a module dds_
// and a "_" behind the type.
func plainName(path string) string {
	parts := strings.Split(path, "::")
	kept := parts[:0]
	for _, part := range parts {
		if part != "dds_" {
			kept = append(kept, part)
		}
	}
	plain := strings.Join(kept, "::")
	if len(kept) < len(parts) {
		plain = strings.TrimSuffix(plain, "_")
	}
	return plain
}

// withoutKind takes out the module msg, srv or action of a ROS type.
func withoutKind(path string) string {
	parts := strings.Split(path, "::")
	if len(parts) == 3 && (parts[1] == "msg" || parts[1] == "srv" || parts[1] == "action") {
		return parts[0] + "::" + parts[2]
	}
	return path
}

// list names some types.
func list(decls []*decl) string {
	const most = 8
	var names []string
	for _, d := range decls[:min(len(decls), most)] {
		names = append(names, decode.Shorten(d.path(), 80))
	}
	text := strings.Join(names, ", ")
	if more := len(decls) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

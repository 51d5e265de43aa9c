package ros

import "strings"

// cleanName returns a type's name as package/Type, whichever way it is spelled:
// package/msg/Type, package::Type, or package::msg::dds_::Type_ as DDS has it.
func cleanName(name string) string {
	segments := strings.Split(strings.ReplaceAll(strings.TrimSpace(name), "::", "/"), "/")
	last := len(segments) - 1
	clean := segments[:0:0]
	for i, s := range segments {
		switch {
		case 0 < i && i < last && (s == "msg" || s == "srv" || s == "action"):
		case 0 < i && i < last && s == "dds_":
			segments[last] = strings.TrimSuffix(segments[last], "_")
		default:
			clean = append(clean, s)
		}
	}
	return strings.Join(clean, "/")
}

// packageOf returns what is in front of the type in a clean name, or "".
func packageOf(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

// shortName returns the type in a clean name.
func shortName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// in returns the clean name of a type of a package.
func in(pkg, name string) string {
	if pkg == "" {
		return name
	}
	return pkg + "/" + name
}

// isName reports whether s is a letter or underscore, then letters, digits and underscores.
func isName(s string) bool {
	return s != "" && nameLength(s) == len(s) && (s[0] < '0' || s[0] > '9')
}

// nameLength returns how many bytes at the start of s can be in a name.
func nameLength(s string) int {
	for i, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return i
		}
	}
	return len(s)
}

// isTypeName reports whether s can be the name of a message type.
func isTypeName(s string) bool {
	for _, segment := range strings.Split(strings.ReplaceAll(s, "::", "/"), "/") {
		if !isName(segment) {
			return false
		}
	}
	return true
}

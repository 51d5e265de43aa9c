package httpapi

import (
	"fmt"
	"slices"
	"strings"
)

const (
	docsBegin = "<!-- routes: written by `make docs` -->\n"
	docsEnd   = "<!-- end of routes -->"
)

// routesPage is the table of routes for people.
func routesPage() string {
	var b strings.Builder
	for _, r := range routes {
		fmt.Fprintf(&b, "### `%s %s`\n\n%s.", r.method, r.path, r.summary)
		if r.about != "" {
			b.WriteString(" " + r.about)
		}
		b.WriteString("\n\n")
		if len(r.params) > 0 {
			b.WriteString("| parameter | takes | default | what it is |\n|---|---|---|---|\n")
		}
		for _, p := range r.params {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.named(r), p.values(), p.presetText(), p.about)
		}
		if len(r.params) > 0 {
			b.WriteString("\n")
		}
		if r.takes != nil {
			fmt.Fprintf(&b, "Takes a `%s`. ", schemaName(r.takes))
		}
		b.WriteString("Gives " + givesText(r) + "\n\n")
	}
	return b.String()
}

func (p param) named(r route) string {
	if slices.Contains(pathParams(r.path), p.name) {
		return "`{" + p.name + "}`"
	}
	return "`" + p.name + "`"
}

func (p param) values() string {
	switch {
	case p.kind == integer:
		return fmt.Sprintf("%d to %d", p.min, p.max)
	case p.kind == number:
		return fmt.Sprintf("0 to %d", p.max)
	case p.kind == boolean:
		return "`true`, `false`"
	case p.kind == moment:
		return "a time"
	case len(p.allowed) > 0:
		return "`" + strings.Join(p.allowed, "`, `") + "`"
	}
	return "a text"
}

func (p param) presetText() string {
	switch {
	case p.required:
		return "required"
	case p.preset == nil:
		return ""
	}
	return fmt.Sprintf("`%v`", p.preset)
}

func givesText(r route) string {
	var forms []string
	for _, c := range r.gives {
		if c.body != nil {
			forms = append(forms, "a `"+schemaName(c.body)+"`")
		} else {
			forms = append(forms, "`"+c.mediaType+"`")
		}
	}
	return strings.Join(forms, " or ") + "."
}

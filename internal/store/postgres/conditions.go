package postgres

import (
	"slices"
	"strconv"
	"strings"
)

// conditions are those of a WHERE clause, with their arguments.
type conditions struct {
	all  []string
	args []any
}

// add adds a condition in which each "$" stands for the argument; where there
// are several arguments, each "$" for the next of them.
func (c *conditions) add(condition string, args ...any) {
	var text strings.Builder
	n := 0
	for i, part := range strings.Split(condition, "$") {
		if i > 0 {
			n = min(n+1, len(args))
			text.WriteString("$" + strconv.Itoa(len(c.args)+n))
		}
		text.WriteString(part)
	}
	c.all = append(c.all, text.String())
	c.args = append(c.args, args...)
}

// sql is the clause, with a space before it; "" when there is no condition.
func (c *conditions) sql() string {
	if len(c.all) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.all, " AND ")
}

// clone is a copy that can be added to.
func (c *conditions) clone() conditions {
	return conditions{slices.Clone(c.all), slices.Clone(c.args)}
}

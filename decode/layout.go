package decode

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on what a schema may become. A definition that names the next one
// twice doubles with every level, so that a few lines ask for a billion columns.
const (
	// MaxColumns is how many columns a message may have.
	MaxColumns = 16384
	// MaxFields is how many fields it may have when those inside lists and
	// structs are counted too.
	MaxFields = 4 * MaxColumns
	// MaxNesting is how deep messages and lists may lie in one another.
	MaxNesting = 100
	// MaxName is how long a column's name may be, in bytes; longer ones are cut.
	MaxName = 512
)

// Layout says which column each part of a message goes to.
type Layout struct {
	Columns []Column
	Root    Node // of the message itself; its Column is -1
}

// Node is a part of a message: a column of its own, or a nested message whose
// fields are columns.
type Node struct {
	Column int    // index in Layout.Columns, or -1 when Fields are laid out instead
	Fields []Node // one a field of the struct, when Column is -1
}

// Flatten lays a message of struct type root out in columns. Nested structs
// are laid out field by field, their names joined by "_", down to
// opt.FlattenDepth; names that are taken, whatever their case, get "_2", "_3".
// It fails, wrapping ErrSchema, when that passes MaxColumns, MaxFields or MaxNesting.
func Flatten(root Type, opt Options) (Layout, error) {
	f := flattener{depth: opt.FlattenDepth, names: NewNames(opt.Reserved...)}
	node, err := f.fields(root, "", 0)
	return Layout{Columns: f.columns, Root: node}, err
}

type flattener struct {
	columns []Column
	names   *Names
	depth   int
	seen    int // fields
}

func (f *flattener) fields(t Type, prefix string, level int) (Node, error) {
	node := Node{Column: -1, Fields: make([]Node, len(t.Fields))}
	for i, field := range t.Fields {
		name := CleanName(field.Name)
		if prefix != "" {
			name = cut(prefix + "_" + name)
		}
		var err error
		if field.Type.Kind == Struct && (f.depth == 0 || level < f.depth) {
			if err = f.count(level); err == nil {
				node.Fields[i], err = f.fields(field.Type, name, level+1)
			}
		} else {
			node.Fields[i], err = f.column(name, field, level)
		}
		if err != nil {
			return node, err
		}
	}
	return node, nil
}

func (f *flattener) column(name string, field Field, level int) (Node, error) {
	if len(f.columns) == MaxColumns {
		return Node{}, fmt.Errorf("%w: it becomes more than %d columns; a lower flatten_depth makes fewer", ErrSchema, MaxColumns)
	}
	t, err := f.clean(field.Type, level)
	if err != nil {
		return Node{}, err
	}
	f.columns = append(f.columns, Column{Name: f.names.Take(name), Type: t, Description: field.Description})
	return Node{Column: len(f.columns) - 1}, nil
}

// clean gives the fields of structs names that DuckDB takes.
func (f *flattener) clean(t Type, level int) (Type, error) {
	if err := f.count(level); err != nil {
		return t, err
	}
	var err error
	switch t.Kind {
	case List, Map:
		var elem Type
		elem, err = f.clean(*t.Elem, level+1)
		t.Elem = &elem
	case Struct:
		names := NewNames()
		fields := make([]Field, len(t.Fields))
		for i, field := range t.Fields {
			fields[i] = Field{Name: names.Take(CleanName(field.Name)), Description: field.Description}
			if fields[i].Type, err = f.clean(field.Type, level+1); err != nil {
				break
			}
		}
		t.Fields = fields
	}
	return t, err
}

func (f *flattener) count(level int) error {
	if f.seen++; f.seen > MaxFields {
		return fmt.Errorf("%w: it becomes more than %d fields", ErrSchema, MaxFields)
	}
	if level >= MaxNesting {
		return fmt.Errorf("%w: its messages lie more than %d deep in one another", ErrSchema, MaxNesting)
	}
	return nil
}

// CleanName returns name as a column can bear it: not empty, valid UTF-8, at
// most MaxName long, without control characters. Quoting does the rest.
func CleanName(name string) string {
	if name == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '_'
		}
		return r
	}, cut(name))
}

// cut shortens a name to MaxName, between two runes.
func cut(name string) string {
	if len(name) <= MaxName {
		return name
	}
	end := MaxName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// Names hands out each name once, with "_2", "_3" behind a name that is taken.
// DuckDB's names ignore case, so these do.
type Names struct {
	taken map[string]bool
	next  map[string]int // the next number to try behind a name
}

// NewNames returns a Names from which the given names are taken.
func NewNames(taken ...string) *Names {
	n := &Names{taken: map[string]bool{}, next: map[string]int{}}
	for _, t := range taken {
		n.taken[strings.ToLower(t)] = true
	}
	return n
}

// Take returns name, or name with the first number that is free.
func (n *Names) Take(name string) string {
	key, unique := strings.ToLower(name), name
	for n.taken[strings.ToLower(unique)] {
		n.next[key] = max(n.next[key]+1, 2)
		unique = fmt.Sprintf("%s_%d", name, n.next[key])
	}
	n.taken[strings.ToLower(unique)] = true
	return unique
}

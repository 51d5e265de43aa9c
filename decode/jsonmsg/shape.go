package jsonmsg

import (
	"strings"

	"tapedeck/decode"
)

// traits are what the values of one place in the messages were, as a set.
type traits uint16

const (
	sawNull traits = 1 << iota
	sawBool
	sawInt      // an integer that fits BIGINT
	sawHuge     // an integer that fits HUGEINT only
	sawInexact  // an integer that a DOUBLE does not hold exactly
	sawFraction // a number with fraction or exponent
	sawBeyond   // a number that neither HUGEINT nor DOUBLE holds
	sawText
	sawNotBase64 // text that is not what was declared
	sawObject
	sawList

	numbers = sawInt | sawHuge | sawInexact | sawFraction | sawBeyond
)

var traitNames = []struct {
	bits traits
	name string
}{
	{sawBool, "boolean"},
	{sawBeyond, "a number beyond 128 bits or a DOUBLE"},
	{sawHuge, "integers beyond 64 bits"},
	{sawInexact, "integers that a DOUBLE does not hold exactly"},
	{sawFraction, "numbers with a fraction or an exponent"},
	{sawInt, "integers"},
	{sawText, "string"},
	{sawNotBase64, "text that is not base64"},
	{sawObject, "object"},
	{sawList, "array"},
}

func (t traits) String() string {
	var names []string
	for _, n := range traitNames {
		if t&n.bits != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// form is what a place in the messages becomes.
type form uint8

const (
	anyForm  form = iota // nothing is known of it
	nullForm             // declared to be null, which says no more
	boolForm
	intForm
	hugeForm
	floatForm
	textForm
	blobForm
	objectForm
	listForm
	jsonForm
)

// As JSON Schema calls them, and as columns.
var formNames = [...]struct{ schema, column string }{
	boolForm:   {"boolean", "BOOLEAN"},
	intForm:    {"integer", "BIGINT"},
	hugeForm:   {"integer", "HUGEINT"},
	floatForm:  {"number", "DOUBLE"},
	textForm:   {"string", "VARCHAR"},
	blobForm:   {"base64 string", "BLOB"},
	objectForm: {"object", "columns of its keys"},
	listForm:   {"array", "a LIST"},
	jsonForm:   {"", "JSON text"},
}

// reason is why a shape is JSON text for good.
type reason uint8

const (
	notJSON     reason = iota
	byKinds            // values of several kinds were seen
	byElements         // the elements of an array were of several kinds
	bySchema           // the schema allows several kinds
	byRecursion        // the schema refers to itself
	byDepth            // there are maxLevels around it
	byKeys             // an object has too many keys to be columns
	byNames            // an object has a key that is too long for a name
)

const (
	// maxLevels is how deep places lie in one another before they are JSON
	// text. It is well below decode.MaxNesting.
	maxLevels = 32
	// maxNewKeys is how many keys an object may gain, beside those of its schema
	// and its first appearance, before they are taken to be data.
	maxNewKeys = 1000
	// maxName is how many bytes the name of a column may have, the names of
	// the objects around it included. A longer key is data, and thousands of
	// columns must not repeat a long name each.
	maxName = decode.MaxName
	// maxPlaces is how many places schema and messages may make, so that the
	// columns stay within decode.MaxColumns with one for messages that are no
	// object.
	maxPlaces = decode.MaxColumns - 1
)

// shape is a place in the messages: what the schema says of it and what was
// seen there.
type shape struct {
	key         string
	description string
	title       string
	values      []string // that the schema lists
	declared    form
	seen        traits
	json        reason
	level       int
	named       int // bytes of the keys that lead here

	members []*shape // of an object, those of the schema first
	index   map[string]int
	given   int         // members that the schema gave
	known   int         // given, or as many as there were after the first object
	extra   *shape      // what the schema says of members that it does not name
	stamp   decode.Kind // Timestamp or Duration while every value can be one
	nanos   string      // the key of its nanoseconds

	elem     *shape // of an array
	elements traits // what they were, when byElements
}

// form returns what the place becomes by all that is known of it.
func (s *shape) form() form {
	if s.json != notJSON {
		return jsonForm
	}
	seen := s.seen &^ sawNull
	if seen == 0 {
		return s.declared
	}
	f := jsonForm
	switch {
	case seen&^numbers == 0:
		if s.declared != anyForm && s.declared != intForm && s.declared != floatForm {
			return jsonForm
		}
		return numberForm(s.declared, seen)
	case seen == sawBool:
		f = boolForm
	case seen == sawText && s.declared == blobForm:
		f = blobForm
	case seen&^(sawText|sawNotBase64) == 0 && s.declared == blobForm:
		return textForm
	case seen == sawText:
		f = textForm
	case seen == sawObject:
		f = objectForm
	case seen == sawList:
		f = listForm
	}
	if s.declared != anyForm && s.declared != nullForm && s.declared != f {
		return jsonForm
	}
	return f
}

// numberForm returns what holds every number that was seen, none of them
// rounded. Numbers that were declared to have fractions but are all integers
// too large for a DOUBLE, such as times in nanoseconds, are integers.
func numberForm(declared form, seen traits) form {
	fractions, inexact := seen&sawFraction != 0, seen&sawInexact != 0
	switch {
	case seen&sawBeyond != 0, fractions && inexact:
		return jsonForm
	case fractions, declared == floatForm && !inexact:
		return floatForm
	case seen&sawHuge != 0:
		return hugeForm
	}
	return intForm
}

// settled reports whether more messages can't change the place unless they break
// its schema.
func (s *shape) settled() bool {
	switch s.form() {
	case anyForm, nullForm:
		return false
	case objectForm:
		for _, m := range s.members {
			if !m.settled() {
				return false
			}
		}
		return s.given > 0
	case listForm:
		return s.elem.settled()
	}
	return true
}

func (s *shape) add(m *shape) {
	if s.index == nil {
		s.index = map[string]int{}
	}
	s.index[m.key] = len(s.members)
	s.members = append(s.members, m)
}

// places returns how many places there are in the shape, itself included.
func (s *shape) places() int {
	n := 1
	for _, m := range s.members {
		n += m.places()
	}
	if s.elem != nil {
		n += s.elem.places()
	}
	return n
}

// clone returns a shape of the same schema.
func (s *shape) clone() *shape {
	c := *s
	c.members, c.index = nil, nil
	for _, m := range s.members {
		c.add(m.clone())
	}
	if s.elem != nil {
		c.elem = s.elem.clone()
	}
	return &c
}

// columnType returns the type that the place becomes.
func (s *shape) columnType() decode.Type {
	switch s.form() {
	case boolForm:
		return decode.Scalar(decode.Bool)
	case intForm:
		return decode.Scalar(decode.Int64)
	case hugeForm:
		return decode.Scalar(decode.HugeInt)
	case floatForm:
		return decode.Scalar(decode.Float64)
	case textForm:
		return decode.Scalar(decode.String)
	case blobForm:
		return decode.Scalar(decode.Bytes)
	case listForm:
		return decode.ListOf(s.elem.columnType())
	case objectForm:
		if s.stamp != decode.Invalid {
			return decode.Scalar(s.stamp)
		}
		if len(s.members) > 0 {
			return decode.StructOf(s.fields()...)
		}
	}
	return decode.Scalar(decode.JSON)
}

func (s *shape) fields() []decode.Field {
	fields := make([]decode.Field, len(s.members))
	for i, m := range s.members {
		fields[i] = decode.Field{Name: m.key, Type: m.columnType(), Description: m.description}
	}
	return fields
}

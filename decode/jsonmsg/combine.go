package jsonmsg

import "slices"

// or returns the shape of values that one of two schemas describes.
func (s *shape) or(o *shape) *shape {
	switch {
	case s.isNull():
		return o
	case o.isNull():
		return s
	}
	switch {
	case s.values == nil || o.values == nil:
		s.values = nil
	case len(s.values) <= maxListed: // more are not described, and there may be a great many
		s.values = slices.Concat(s.values, o.values)
	}
	if s.title != o.title || s.description != o.description {
		s.title, s.description = "", ""
	}
	switch f := s.commonForm(o); {
	case s.json != notJSON:
	case o.json != notJSON:
		s.giveUp(o.json)
	case f == jsonForm:
		s.giveUp(bySchema)
	case f == objectForm:
		s.join(o, (*shape).or)
		if s.extra != nil && o.extra != nil {
			s.extra = s.extra.or(o.extra)
		} else {
			s.extra = nil
		}
	case f == listForm:
		s.elem = s.elem.or(o.elem)
	case f == anyForm:
		s.forget()
	default:
		s.declared = f
	}
	return s
}

// and returns the shape of values that both schemas describe: the narrower of
// the two. Schemas that contradict each other say nothing.
func (s *shape) and(o *shape) *shape {
	if s.title == "" {
		s.title = o.title
	}
	if s.description == "" {
		s.description = o.description
	}
	if s.values == nil {
		s.values = o.values
	}
	switch {
	case s.isUnbuilt():
		return s
	case o.isUnbuilt():
		s.giveUp(o.json)
		return s
	case s.isOpen():
		o.title, o.description, o.values = s.title, s.description, s.values
		return o
	case o.isOpen():
		return s
	}
	switch f := s.commonForm(o); {
	case f == objectForm:
		s.join(o, (*shape).and)
		if s.extra == nil {
			s.extra = o.extra
		}
	case f == listForm:
		s.elem = s.elem.and(o.elem)
	case f == jsonForm:
		s.forget()
	case s.declared != o.declared: // the narrower of number and integer, of text and base64
		s.declared = intForm
		if f == textForm {
			s.declared = blobForm
		}
	}
	return s
}

// commonForm returns the form that holds the values of both: a number for
// integers and numbers, text for text and base64, and jsonForm where they differ.
func (s *shape) commonForm(o *shape) form {
	a, b := min(s.declared, o.declared), max(s.declared, o.declared)
	switch {
	case a == b:
		return a
	case a == anyForm:
		return anyForm
	case a == intForm && b == floatForm:
		return floatForm
	case a == textForm && b == blobForm:
		return textForm
	}
	return jsonForm
}

// join adds the members of another object; how says what becomes of those that both have.
func (s *shape) join(o *shape, how func(s, o *shape) *shape) {
	for _, m := range o.members {
		if at, ok := s.index[m.key]; ok {
			s.members[at] = how(s.members[at], m)
			s.members[at].key = m.key
		} else {
			s.add(m)
		}
	}
	s.given = len(s.members)
	s.known = s.given
}

func (s *shape) isNull() bool { return s.json == notJSON && s.declared == nullForm }

// isOpen reports whether the schema leaves it open what kind a value is.
func (s *shape) isOpen() bool {
	return s.json == bySchema || s.json == notJSON && (s.declared == anyForm || s.declared == nullForm)
}

// isUnbuilt reports whether the schema can't be followed any further here.
func (s *shape) isUnbuilt() bool { return s.json == byRecursion || s.json == byDepth }

// forget makes s a shape of which the schema says nothing.
func (s *shape) forget() {
	s.declared, s.values = anyForm, nil
	s.members, s.index, s.elem, s.extra, s.given, s.known = nil, nil, nil, nil, 0, 0
}

// giveUp makes s JSON text for good.
func (s *shape) giveUp(why reason) {
	s.json = why
	s.members, s.index, s.elem, s.extra = nil, nil, nil, nil
}

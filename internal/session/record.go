package session

// A Record is one captured piece of a session, exactly as it was found.
type Record struct {
	// Key identifies the record in its stream: the harness' own identifier, or a
	// hash of the body where it has none. Of several records with one key, the
	// one with the highest Version counts, then the longest, then the one whose
	// hash sorts last, so that the order of import makes no difference.
	Key     string
	Version int64

	// Origin identifies the record wherever it was copied to: resuming and
	// forking rewrite records into other sessions. Empty: never copied.
	Origin string

	// About is the Origin of another record that this one tells of, wherever
	// that is: a title, written into whichever file was open. The record is
	// read with the stream that holds that Origin. Empty: of its own stream.
	About string

	// Order is the record's place in its stream, by time or by number; ties go by
	// Pos, then by Key. 0: it has no place, as a title has none, and is read first.
	Order int64
	Pos   int64 // place in its file; of copies the least counts

	At   Time // as the record says; zero: it doesn't
	Body []byte
}

// A Place is a point in the order of a stream's records.
type Place struct {
	Order int64  `json:"order"`
	Pos   int64  `json:"pos"`
	Key   string `json:"key"`
}

// Place is where r stands.
func (r Record) Place() Place { return Place{r.Order, r.Pos, r.Key} }

// Before reports whether p stands before o.
func (p Place) Before(o Place) bool {
	if p.Order != o.Order {
		return p.Order < o.Order
	}
	if p.Pos != o.Pos {
		return p.Pos < o.Pos
	}
	return p.Key < o.Key
}

// StreamFacts is what an importer knows of a stream before it is interpreted.
type StreamFacts struct {
	// Parent is the stream that started this one as a sub-agent.
	Parent *Ref
	// ForkedFrom is the stream whose records this one begins with.
	ForkedFrom *Ref
}

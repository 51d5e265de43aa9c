package derive

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"tapedeck/internal/session"
)

const (
	// looseBytes is how much content waits to be packed at most.
	looseBytes = 4 << 20
	// maxContent bounds one side of a span. JSON may take six times as much, which
	// must stay below what session.Packed unpacks. What is over is left to the
	// raw records.
	maxContent = 80 << 20
	// partBytes is what a part takes beside its text.
	partBytes = 64
)

// content is one side of a span: packed, with parts behind that are not yet.
type content struct {
	packed session.Packed
	parts  []session.Part
	size   int64
	cut    int64 // bytes that were left out
}

// pack is the whole content packed.
func (c *content) pack() (session.Packed, error) {
	if len(c.parts) == 0 {
		return c.packed, nil
	}
	parts := c.parts
	if len(c.packed) > 0 {
		before, err := c.packed.Unpack()
		if err != nil {
			return nil, err
		}
		parts = append(before, parts...)
	}
	packed, err := session.Pack(parts)
	if err != nil { // JSON that is none
		packed, err = session.Pack(withValidInput(parts))
	}
	return packed, err
}

// withValidInput puts input that is no JSON as a string.
func withValidInput(parts []session.Part) []session.Part {
	valid := make([]session.Part, len(parts))
	for i, p := range parts {
		if len(p.Input) > 0 && !json.Valid(p.Input) {
			p.Input, _ = json.Marshal(string(p.Input)) // a string always can be
		}
		valid[i] = p
	}
	return valid
}

// packing packs contents when many bytes of them wait.
type packing struct {
	limit   int64
	bytes   int64
	waiting []*content
	err     error // the first
}

// add puts parts behind what c holds.
func (p *packing) add(c *content, parts []session.Part) { p.put(c, cleanParts(parts)) }

// put puts parts that are clean behind what c holds.
func (p *packing) put(c *content, parts []session.Part) {
	for _, part := range parts {
		n := int64(len(part.Text)+len(part.Input)) + partBytes
		if c.size+n > maxContent {
			c.cut += n
			continue
		}
		if len(c.parts) == 0 {
			p.waiting = append(p.waiting, c)
		}
		c.parts = append(c.parts, part)
		c.size += n
		p.bytes += n
	}
	if p.bytes > p.limit {
		p.flush()
	}
}

// flush packs what waits, on all cores: this is most of the work of deriving.
func (p *packing) flush() {
	var (
		next   atomic.Int64
		errs   = make([]error, len(p.waiting))
		worker sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), len(p.waiting)) {
		worker.Go(func() {
			for n := int(next.Add(1) - 1); n < len(p.waiting); n = int(next.Add(1) - 1) {
				c := p.waiting[n]
				c.packed, errs[n] = c.pack()
				c.parts = nil
			}
		})
	}
	worker.Wait()
	p.err = errors.Join(append(errs, p.err)...)
	p.waiting, p.bytes = p.waiting[:0], 0
}

func cleanParts(parts []session.Part) []session.Part {
	clean := make([]session.Part, len(parts))
	for i, part := range parts {
		clean[i] = cleanPart(part)
	}
	return clean
}

// cleanPart is a part that every store takes.
func cleanPart(p session.Part) session.Part {
	p.Text = clean(p.Text)
	p.ID = clean(p.ID)
	p.Name = clean(p.Name)
	p.MediaType = clean(p.MediaType)
	p.URL = clean(p.URL)
	p.SHA256 = clean(p.SHA256)
	if utf8.Valid(p.Input) {
		p.Input = bytes.Clone(p.Input)
	} else {
		p.Input = json.RawMessage(clean(string(p.Input)))
	}
	return p
}

// clean is text that every store takes, and a copy: interpreters give parts of a
// record's body, and a name that is kept must not keep the whole body with it. A
// very long text is most of its body, and is packed soon: a copy would only take
// its memory once more.
func clean(text string) string {
	if text = session.Clean(text); len(text) < veryLong {
		return strings.Clone(text)
	}
	return text
}

const veryLong = 1 << 20

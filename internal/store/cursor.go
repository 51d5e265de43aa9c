package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
)

// defaultLimit is the page that Limit 0 asks for.
const defaultLimit = 50

// Size is how many items the page holds at most: Limit, brought into its bounds.
func (p Page) Size() int {
	if p.Limit == 0 {
		return defaultLimit
	}
	return min(max(p.Limit, 1), MaxLimit)
}

// A Position is where a part of a listing ended: the values that its order goes
// by, those of the last item.
type Position struct {
	Numbers []int64
	Texts   []string
}

// cursor is a Position with the mark of the listing that it belongs to. Texts may
// be keys of records, which JSON's own texts would change where they are no UTF-8.
type cursor struct {
	Listing uint32   `json:"l"`
	Numbers []int64  `json:"n,omitempty"`
	Texts   [][]byte `json:"t,omitempty"`
}

// Cursor is the position as callers get it. It is the same in every store;
// listing names what is listed, in which order.
func (p Position) Cursor(listing string) string {
	c := cursor{Listing: mark(listing), Numbers: p.Numbers}
	for _, text := range p.Texts {
		c.Texts = append(c.Texts, []byte(text))
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "" // numbers and texts always have a JSON form
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// After is the position that the page follows, nil for the first page. A cursor
// that was not made for the listing, with that many numbers and texts, is an
// ErrCursor.
func (p Page) After(listing string, numbers, texts int) (*Position, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	var c cursor
	text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil || c.Listing != mark(listing) || len(c.Numbers) != numbers || len(c.Texts) != texts {
		return nil, fmt.Errorf("%w: %.40q; begin again without one", ErrCursor, p.Cursor)
	}
	position := &Position{Numbers: c.Numbers}
	for _, text := range c.Texts {
		position.Texts = append(position.Texts, string(text))
	}
	return position, nil
}

func mark(listing string) uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(listing))
	return hash.Sum32()
}

package mcap

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"tapedeck/internal/recording"
)

// Limits on the definitions that a scan keeps.
const (
	maxDefinitions     = 1 << 17   // channels and schemas, each id's versions counted
	maxDefinitionBytes = 256 << 20 // of their records
	maxRedefinitions   = 1 << 17   // places where an id changes its meaning
)

// stream is a channel with what a scan counted of its messages. Until the
// channel is met, ch is nil.
type stream struct {
	ch         *recording.Channel
	raw        []byte // the record that defined it
	count      uint64
	bytes      uint64
	start, end uint64
}

func (s *stream) add(logTime uint64, size int) {
	s.count++
	s.bytes += uint64(size)
	s.start = min(s.start, logTime)
	s.end = max(s.end, logTime)
}

// channelID is one channel id and all that it meant so far: an id may be
// defined again with another meaning.
type channelID struct {
	current *stream
	streams []*stream
	events  []recording.Redefinition
	lost    bool // it meant more than we keep
}

// schemaID is one schema id and all that it meant so far.
type schemaID struct {
	current  *recording.Schema
	versions []*recording.Schema
}

// definitions are the channels and schemas that a scan has met.
type definitions struct {
	channels []*channelID // by id
	schemas  map[uint16]*schemaID
	known    int // definitions
	bytes    int // of their records
	events   int
	full     bool
}

func newDefinitions() *definitions {
	return &definitions{schemas: make(map[uint16]*schemaID)}
}

// id returns what is known of a channel id.
func (d *definitions) id(id uint16) *channelID {
	for int(id) >= len(d.channels) {
		d.channels = append(d.channels, nil)
	}
	c := d.channels[id]
	if c == nil {
		s := &stream{start: math.MaxUint64}
		c = &channelID{current: s, streams: []*stream{s}}
		d.channels[id] = c
	}
	return c
}

// room reports whether another definition may be kept, and counts it.
func (d *definitions) room(size int) bool {
	if d.known >= maxDefinitions || d.bytes+size > maxDefinitionBytes {
		d.full = true
		return false
	}
	d.known++
	d.bytes += size
	return true
}

// schema takes a schema record in.
func (d *definitions) schema(body []byte) error {
	s, err := parseSchema(body)
	if err != nil {
		return err
	}
	id := d.schemas[s.ID]
	if id == nil {
		id = &schemaID{}
		d.schemas[s.ID] = id
	}
	for _, old := range id.versions {
		if sameSchema(old, s) {
			id.current = old
			return nil
		}
	}
	if !d.room(len(body)) {
		return nil
	}
	s.Data = bytes.Clone(s.Data)
	id.current = s
	id.versions = append(id.versions, s)
	return nil
}

// channel takes a channel record in, which lies in a block at a place in its
// records.
func (d *definitions) channel(body []byte, block int64, at int) error {
	if len(body) >= 2 {
		if id := d.id(le.Uint16(body)); id.current.raw != nil && bytes.Equal(id.current.raw, body) && d.settled(id.current.ch) {
			return nil
		}
	}
	c, err := parseChannel(body)
	if err != nil {
		return err
	}
	if s := d.schemas[c.SchemaID]; s != nil && c.SchemaID != 0 {
		c.Schema = s.current
	}
	id := d.id(c.ID)
	if id.lost {
		return nil
	}
	next := id.find(c)
	if next == nil {
		if !d.room(len(body)) {
			id.lose()
			return nil
		}
		next = id.current
		if next.ch != nil {
			next = &stream{start: math.MaxUint64}
			id.streams = append(id.streams, next)
		}
		next.ch, next.raw = c, bytes.Clone(body)
	}
	d.turn(id, next, block, at)
	return nil
}

// settled reports whether a channel's schema is the one that its schema id
// means now.
func (d *definitions) settled(c *recording.Channel) bool {
	s := d.schemas[c.SchemaID]
	return s == nil || s.current == c.Schema
}

// find returns the stream that the definition belongs to, if it is known.
func (id *channelID) find(c *recording.Channel) *stream {
	for _, s := range id.streams {
		if s.ch == nil || !sameChannel(s.ch, c) {
			continue
		}
		if s.ch.Schema == nil {
			s.ch.Schema = c.Schema // the schema came after its channel
		}
		if c.Schema == nil || s.ch.Schema == c.Schema {
			return s
		}
	}
	return nil
}

// turn makes id mean next from a place on.
func (d *definitions) turn(id *channelID, next *stream, block int64, at int) {
	if next == id.current && len(id.events) > 0 {
		return
	}
	if d.events >= maxRedefinitions {
		d.full = true
		id.lose()
		return
	}
	d.events++
	id.current = next
	id.events = append(id.events, recording.Redefinition{Block: block, At: int64(at), Channel: next.ch})
}

// lose gives an id up: its messages count as those of an unknown channel.
func (id *channelID) lose() {
	all := &stream{start: math.MaxUint64}
	for _, s := range id.streams {
		all.count += s.count
	}
	*id = channelID{current: all, streams: []*stream{all}, lost: true}
}

// adopt takes from a summary section the definitions that the scan did not
// meet, as it could not go through the damage around them.
func (d *definitions) adopt(sec *section) {
	for id, s := range sec.schemas {
		if d.schemas[id] == nil {
			d.schemas[id] = &schemaID{current: s, versions: []*recording.Schema{s}}
		}
	}
	for id, known := range sec.channels {
		if now := d.id(id).current; now.ch == nil && !d.channels[id].lost {
			c := *known // the section's own stays as it was read
			now.ch = &c
		}
	}
}

// fill completes the summary with what was met.
func (d *definitions) fill(sum *recording.Summary, notes *recording.Warnings) {
	sum.Start = math.MaxUint64
	for i, id := range d.channels {
		if id == nil {
			continue
		}
		for _, s := range id.streams {
			d.fillStream(sum, uint16(i), s, notes)
		}
		if len(id.streams) > 1 {
			sum.Redefined = append(sum.Redefined, id.events...)
			notes.Add(recording.WarnChannelRedefined, id.events[1].Block, "the channel id %d is defined %d times in different ways; each message is read by the definition before it", i, len(id.streams))
		}
	}
	if sum.MessageCount == 0 {
		sum.Start = 0
	}
	if d.full {
		notes.Add(recording.WarnTooManyDefinitions, -1, "the file defines more channels and schemas than are kept (%d); messages of the others are left out", d.known)
	}
	slices.SortFunc(sum.Redefined, func(a, b recording.Redefinition) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.At, b.At))
	})
	sortChannels(sum.Channels)
}

func (d *definitions) fillStream(sum *recording.Summary, id uint16, s *stream, notes *recording.Warnings) {
	if s.ch == nil {
		if s.count > 0 {
			notes.Add(recording.WarnUnknownChannel, -1, "%s lost: the channel %d is not defined in the file", counted(s.count, "message"), id)
		}
		return
	}
	c := s.ch
	if c.Schema == nil && c.SchemaID != 0 {
		if late := d.schemas[c.SchemaID]; late != nil && len(late.versions) > 0 {
			c.Schema = late.versions[0]
		}
	}
	noteMissingSchema(c, notes)
	sum.Channels = append(sum.Channels, c)
	if s.count == 0 {
		return
	}
	c.Count, c.MeanSize = s.count, float64(s.bytes)/float64(s.count)
	c.Start, c.End = s.start, s.end
	sum.MessageCount += s.count
	sum.Start = min(sum.Start, s.start)
	sum.End = max(sum.End, s.end)
}

func noteMissingSchema(c *recording.Channel, notes *recording.Warnings) {
	if c.Schema == nil && c.SchemaID != 0 {
		notes.Add(recording.WarnMissingSchema, -1, "the topic %q names the schema %d, which the file does not define", shortName(c.Topic), c.SchemaID)
	}
}

// sortChannels sorts by topic, then by id; those of one id stay as they are.
func sortChannels(list []*recording.Channel) {
	slices.SortStableFunc(list, func(a, b *recording.Channel) int {
		return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.ID, b.ID))
	})
}

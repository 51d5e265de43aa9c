package table

import (
	"context"
	"errors"
	"math"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

// Source is a recording to describe or load.
type Source struct {
	Path        string
	Fingerprint string
	Summary     *recording.Summary
	File        recording.File
}

// Described is the table that a load with the same options makes of a topic.
type Described struct {
	Topic      string
	Table      string // without alias
	Columns    []Column
	Channels   []*recording.Channel
	SkipReason string   // why the topic, or a part of it, is not decoded
	Decoded    bool     // at least one channel is
	Large      bool     // its messages are so large that BLOBs are left out unless asked for
	Inferred   bool     // columns come from messages, since no schema says
	Warnings   []string // where messages do not keep to their schema
}

// budget bounds a look at messages.
type budget struct {
	messages int64 // bytes of messages that are looked at
	file     int64 // bytes of the file that are read for them: a topic may be rare
}

// describeBudget bounds how much Describe reads to infer columns; a load reads
// what it loads.
var describeBudget = budget{messages: 256 << 20, file: 1 << 30}

// unbounded is a look at all.
var unbounded = budget{messages: math.MaxInt64, file: math.MaxInt64}

// Describe tells the tables of a recording without loading. It decodes nothing,
// but reads the messages of topics whose schemas don't say all (JSON).
func Describe(ctx context.Context, src Source, decoders []decode.Decoder, options Options) ([]Described, error) {
	topics := plan(src.Summary.Channels, decoders, options)
	whole, err := observe(ctx, src, options, inferring(topics), describeBudget)
	if err != nil {
		return nil, err
	}
	described := make([]Described, len(topics))
	for i, t := range topics {
		t.layOut(options.MessageColumns)
		described[i] = Described{Topic: t.name, Table: t.table, Columns: t.columns, Channels: t.channels,
			SkipReason: t.skipReason(), Decoded: len(t.plans) > 0, Large: meanSize(t.channels) > largeMessage, Inferred: !t.settled(), Warnings: t.inferWarnings()}
		if t.infers() && !whole {
			described[i].Warnings = append(described[i].Warnings,
				"the recording is large: columns are those of its first messages, loading may widen them")
		}
	}
	return described, nil
}

func inferring(topics []*topic) []*topic {
	var some []*topic
	for _, t := range topics {
		if t.infers() {
			some = append(some, t)
		}
	}
	return some
}

// errEnough ends a look at messages early.
var errEnough = errors.New("enough messages seen")

// observe lets the topics' plans see the selected messages within a budget, and
// reports whether that was all of them.
func observe(ctx context.Context, src Source, options Options, topics []*topic, left budget) (whole bool, err error) {
	if len(topics) == 0 {
		return true, nil
	}
	of := map[*recording.Channel]*topic{}
	for _, t := range topics {
		for c := range t.planOf {
			of[c] = t
		}
	}
	scratch, first := &recording.Scratch{}, int64(-1)
	_, err = src.File.Blocks(ctx, src.Summary, selection(options, topics), func(b recording.Block) error {
		if first < 0 {
			first = b.Offset()
		}
		if b.Offset()-first > left.file {
			return errEnough
		}
		_, err := b.Messages(scratch, func(m *recording.Message) error {
			if left.messages -= int64(len(m.Data)); left.messages < 0 {
				return errEnough
			}
			of[m.Channel].observe(m)
			return ctx.Err()
		})
		return err
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return err == nil, err
}

// selection picks the messages that topics can decode.
func selection(options Options, topics []*topic) recording.Selection {
	s := recording.Selection{Channels: map[*recording.Channel]bool{}, From: options.From, Until: options.Until, HasUntil: options.HasUntil}
	for _, t := range topics {
		for c := range t.planOf {
			s.Channels[c] = true
		}
	}
	return s
}

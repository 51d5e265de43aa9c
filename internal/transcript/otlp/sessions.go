package otlp

import (
	"encoding/json"
	"fmt"
	"io"

	"tapedeck/internal/transcript"
)

// Bounds of what is known of traces, in traces: while a file is read, and from
// one reading of a growing file to the next.
const (
	maxTraces = 200_000
	maxKept   = 256
)

// sessions are those that traces belong to.
type sessions struct {
	named  map[string]string // by trace
	recent []string          // traces, the last that were named last
}

// learn takes the session that a span names for its trace.
func (s *sessions) learn(p *piece) {
	if p.own == "" || p.trace == "" {
		return
	}
	known, is := s.named[p.trace]
	if !is && len(s.named) >= maxTraces {
		return
	}
	if !is {
		s.recent = append(s.recent, p.trace)
	}
	if !is || p.own < known {
		s.named[p.trace] = p.own
	}
}

// of is the session of a piece; "" where nothing tells.
func (s *sessions) of(p *piece) string {
	for _, key := range []string{p.own, s.named[p.trace], p.outer, p.trace} {
		if key != "" {
			return key
		}
	}
	return ""
}

// A progress is what a cursor keeps beside the offset.
type progress struct {
	Tail   string      `json:"tail"` // hash of what stood before the offset
	Traces [][2]string `json:"traces,omitempty"`
}

// tailBytes are compared before a file is read on from an offset.
const tailBytes = 1 << 10

// resume is where to read from: where the last reading ended, if the file still
// begins as it did.
func (s *source) resume(from transcript.Cursor) (int64, *sessions) {
	all := &sessions{named: map[string]string{}}
	var known progress
	if s.zipped || from.Offset <= 0 || json.Unmarshal(from.State, &known) != nil {
		return 0, all
	}
	if tail, err := s.tail(from.Offset); err != nil || tail != known.Tail {
		return 0, all
	}
	for _, pair := range known.Traces {
		all.learn(&piece{trace: pair[0], own: pair[1]})
	}
	return from.Offset, all
}

// tail is a hash of the last bytes before an offset.
func (s *source) tail(offset int64) (string, error) {
	begin := max(offset-tailBytes, 0)
	bytes := make([]byte, offset-begin)
	if _, err := s.file.ReadAt(bytes, begin); err != nil {
		return "", err
	}
	return hashOf(string(bytes)), nil
}

// cursor is where a reading ended.
func (s *source) cursor(end int64, all *sessions) (transcript.Cursor, error) {
	if s.zipped { // it can't be read on from the middle
		size, err := s.file.Seek(0, io.SeekEnd)
		if err != nil {
			return transcript.Cursor{}, fmt.Errorf("reading a trace: %w", err)
		}
		return transcript.Cursor{Offset: size}, nil
	}
	tail, err := s.tail(end)
	if err != nil {
		return transcript.Cursor{}, fmt.Errorf("reading a trace: %w", err)
	}
	kept := progress{Tail: tail}
	for _, trace := range all.recent[max(len(all.recent)-maxKept, 0):] {
		kept.Traces = append(kept.Traces, [2]string{trace, all.named[trace]})
	}
	state, err := json.Marshal(kept)
	if err != nil {
		return transcript.Cursor{}, fmt.Errorf("reading a trace: %w", err)
	}
	return transcript.Cursor{Offset: end, State: state}, nil
}

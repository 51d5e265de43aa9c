package deck

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tapedeck/internal/library"
	"tapedeck/internal/recording"
)

// ListRecordings finds recordings, by start time. Entries that are no readable
// recordings are listed as problems.
func (d *Deck) ListRecordings(ctx context.Context, r ListRequest, p Progress) (*RecordingList, error) {
	keep, err := timeFilter(r)
	if err != nil {
		return nil, err
	}
	if r.Offset < 0 || r.Limit < 0 {
		return nil, &Error{Code: CodeBadArgument, Message: fmt.Sprintf("offset %d and limit %d must not be negative", r.Offset, r.Limit)}
	}
	entries, problems, err := d.library.Scan(ctx, r.Path, func(done, total int) {
		if p != nil {
			p(uint64(done), uint64(total), "reading summaries")
		}
	})
	if err != nil {
		return nil, fileError(err)
	}
	entries = slices.DeleteFunc(entries, func(e library.Entry) bool { return !keep(e.Summary) })
	slices.SortStableFunc(entries, func(a, b library.Entry) int {
		return cmp.Or(cmp.Compare(a.Summary.Start, b.Summary.Start), cmp.Compare(a.Rel, b.Rel))
	})
	list := &RecordingList{Recordings: []RecordingSummary{}, Total: len(entries)}
	for _, e := range page(entries, r.Offset, r.Limit) {
		list.Recordings = append(list.Recordings, summarise(e))
	}
	for _, problem := range problems {
		list.Problems = append(list.Problems, Problem{problem.Path, problem.Reason})
	}
	return list, nil
}

// timeFilter makes a test of after and before. A recording that has no
// messages has no time and passes only without bounds.
func timeFilter(r ListRequest) (func(*recording.Summary) bool, error) {
	var after, before uint64
	var err error
	if r.After != "" {
		if after, err = parseTime("after", r.After, false); err != nil {
			return nil, err
		}
	}
	if r.Before != "" {
		if before, err = parseTime("before", r.Before, false); err != nil {
			return nil, err
		}
	}
	return func(s *recording.Summary) bool {
		if s.MessageCount == 0 {
			return r.After == "" && r.Before == ""
		}
		return s.End >= after && (r.Before == "" || s.Start <= before)
	}, nil
}

func page[T any](all []T, offset, limit int) []T {
	all = all[min(offset, len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

func summarise(e library.Entry) RecordingSummary {
	s := e.Summary
	r := RecordingSummary{File: e.Rel, Path: e.Path, SizeMB: megabytes(s.Size), DurationS: seconds(s), MessageCount: s.MessageCount,
		Channels: []ChannelSummary{}, MetadataKeys: []string{}, TimeNote: timeNote(s.Start, s.End, s.MessageCount)}
	r.StartTime, r.EndTime = times(s)
	byTopic := map[string]int{}
	for _, c := range s.Channels {
		i, known := byTopic[c.Topic]
		if !known {
			i = len(r.Channels)
			byTopic[c.Topic] = i
			r.Channels = append(r.Channels, ChannelSummary{Topic: c.Topic, Schema: schemaName(c)})
		}
		r.Channels[i].MessageCount += c.Count
	}
	for _, m := range s.Metadata {
		r.MetadataKeys = append(r.MetadataKeys, m.Name)
	}
	slices.Sort(r.MetadataKeys)
	r.MetadataKeys = slices.Compact(r.MetadataKeys)
	return r
}

func schemaName(c *recording.Channel) string {
	if c.Schema == nil {
		return ""
	}
	return c.Schema.Name
}

// times are the first and the last log time, empty for a recording without messages.
func times(s *recording.Summary) (start, end string) {
	if s.MessageCount == 0 {
		return "", ""
	}
	return formatTime(s.Start), formatTime(s.End)
}

func seconds(s *recording.Summary) float64 { return math.Round(float64(s.End-s.Start)/1e8) / 10 }

// megabytes has one decimal, and more for what one decimal would show as nothing.
func megabytes(bytes int64) float64 {
	mb := float64(bytes) / (1 << 20)
	if mb < 1 {
		return math.Round(mb*1000) / 1000
	}
	return math.Round(mb*10) / 10
}

package deck

import (
	"context"
	"maps"
	"math"

	"tapedeck/internal/recording"
	"tapedeck/internal/table"
)

// RecordingInfo tells all that a recording says of itself, without loading it.
func (d *Deck) RecordingInfo(ctx context.Context, file string) (*RecordingInfo, error) {
	rec, err := d.open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	s := rec.Summary
	info := &RecordingInfo{File: rec.Rel, Path: rec.Path, SizeMB: megabytes(s.Size), Library: s.Library, Profile: s.Profile, DurationS: seconds(s),
		MessageCount: s.MessageCount, Channels: map[string]ChannelInfo{}, Metadata: map[string]map[string]string{}, Attachments: []AttachmentInfo{},
		Compression: append([]string{}, s.Compression...), Warnings: s.Warnings, TimeNote: timeNote(s.Start, s.End, s.MessageCount)}
	info.StartTime, info.EndTime = times(s)
	for _, c := range s.Channels {
		info.Channels[c.Topic] = d.addChannel(info.Channels[c.Topic], c)
	}
	for _, m := range s.Metadata {
		if info.Metadata[m.Name] == nil {
			info.Metadata[m.Name] = map[string]string{}
		}
		maps.Copy(info.Metadata[m.Name], m.Values)
		info.MetadataRecords = append(info.MetadataRecords, MetadataRecord{m.Name, m.Values})
	}
	if len(info.Metadata) == len(info.MetadataRecords) {
		info.MetadataRecords = nil // they say no more than Metadata does
	}
	for _, a := range s.Attachments {
		info.Attachments = append(info.Attachments, AttachmentInfo{a.Name, a.Size, a.MediaType})
	}
	return info, nil
}

// addChannel adds a channel to what is known of its topic. Names are those of
// the topic's first channel.
func (d *Deck) addChannel(topic ChannelInfo, c *recording.Channel) ChannelInfo {
	if topic.Channels == 0 {
		topic.SchemaName, topic.MessageEncoding = schemaName(c), c.MessageEncoding
		if c.Schema != nil {
			topic.SchemaEncoding = c.Schema.Encoding
		}
		if decoder := table.DecoderFor(d.decoders, topic.MessageEncoding, topic.SchemaEncoding); decoder != nil {
			topic.Decoder = decoder.Name()
		}
	}
	total := topic.MessageCount + c.Count
	if total > 0 {
		topic.MeanBytes = math.Round((topic.MeanBytes*float64(topic.MessageCount) + c.MeanSize*float64(c.Count)) / float64(total))
	}
	topic.Channels++
	topic.MessageCount = total
	return topic
}

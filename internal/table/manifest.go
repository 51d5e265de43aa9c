package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/recording"
)

// Manifest says what a load made, beside its database file.
type Manifest struct {
	Format       int                  `json:"format"`
	Path         string               `json:"path"` // of the recording, when it was loaded
	Fingerprint  string               `json:"fingerprint"`
	Loaded       time.Time            `json:"loaded"`
	Options      Options              `json:"options"`
	Bytes        int64                `json:"bytes"`  // of the database file: a power cut may leave less
	Tables       []Table              `json:"tables"` // in topic order
	Skipped      []Skipped            `json:"skipped,omitempty"`
	Warnings     []string             `json:"warnings,omitempty"`
	Lossy        bool                 `json:"lossy"` // the tables lack something that the recording should hold
	Start        uint64               `json:"start"` // of the recording, nanoseconds
	End          uint64               `json:"end"`
	MessageCount uint64               `json:"message_count"`
	ChannelCount int                  `json:"channel_count"`
	Undecoded    map[string]Undecoded `json:"undecoded,omitempty"` // by topic
}

// Table is one topic's table.
type Table struct {
	Name    string   `json:"name"` // without alias
	Topic   string   `json:"topic"`
	Rows    uint64   `json:"rows"`
	Columns []Column `json:"columns"`
}

// Skipped is a topic, or a part of one, that has no table.
type Skipped struct {
	Topic  string `json:"topic"`
	Reason string `json:"reason"`
}

// Undecoded counts a topic's messages that could not be decoded.
type Undecoded struct {
	Messages uint64 `json:"messages"`
	Reason   string `json:"reason"` // of the first
}

func (b *builder) manifest(all []*topic, made []*target) *Manifest {
	sum := b.source.Summary
	m := &Manifest{Format: formatVersion, Path: b.source.Path, Fingerprint: b.source.Fingerprint, Loaded: time.Now().UTC(), Options: b.options,
		Start: sum.Start, End: sum.End, MessageCount: sum.MessageCount, ChannelCount: len(sum.Channels), Undecoded: map[string]Undecoded{}}
	for _, t := range made {
		m.Tables = append(m.Tables, Table{Name: t.table, Topic: t.name, Rows: t.rows, Columns: slices.Clone(t.columns)})
		if t.undecoded > 0 {
			m.Undecoded[t.name] = Undecoded{t.undecoded, t.reason}
		}
	}
	slices.SortFunc(m.Tables, func(a, b Table) int { return strings.Compare(a.Topic, b.Topic) })
	for _, t := range all {
		if reason := t.skipReason(); reason != "" {
			m.Skipped = append(m.Skipped, Skipped{t.name, reason})
		}
		m.Warnings = append(m.Warnings, t.inferWarnings()...)
	}
	var texts []string
	for _, w := range b.damage() {
		texts = append(texts, w.String())
		m.Lossy = m.Lossy || w.Loss()
	}
	m.Lossy = m.Lossy || len(m.Undecoded) > 0
	m.Warnings = append(texts, m.Warnings...)
	return m
}

// damage is what the summary and the load warn of, each once.
func (b *builder) damage() []recording.Warning {
	all := slices.Concat(b.source.Summary.Warnings, b.warnings)
	slices.SortFunc(all, func(a, b recording.Warning) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.Code, b.Code), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(all)
}

func (m *Manifest) write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing the load's manifest: %w", err)
	}
	return os.WriteFile(path, text, 0o600)
}

func readManifest(path string) (*Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if m.Format != formatVersion {
		return nil, fmt.Errorf("reading %s: its format is %d, not %d", path, m.Format, formatVersion)
	}
	return m, nil
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

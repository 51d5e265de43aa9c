package table

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Set is what is loaded: which loads, under which alias, which of them are
// attached, and which table a name means. It may be used from several
// goroutines; a query keeps the catalog that it began with.
type Set struct {
	mu      sync.Mutex
	budget  int64
	loaded  []*loaded // in the order of loading
	version int
}

// loaded is a load that is visible.
type loaded struct {
	load     *Load
	alias    string
	path     string          // of the recording
	hidden   map[string]bool // its tables that a later load replaced
	attached bool
	used     time.Time
}

// NewSet returns an empty set whose attached loads may take budgetMB.
func NewSet(budgetMB int) *Set { return &Set{budget: int64(budgetMB) << 20} }

// Added tells what adding a load changed.
type Added struct {
	Tables   map[string]Table // of the load's topics, by the names statements use
	Replaced []string         // tables of other recordings that had these names, and of its metadata's
	Evicted  []string         // tables detached to stay within the budget
}

// Add makes a load's tables visible under an alias, in one step. Tables of the
// same names are replaced.
func (s *Set) Add(load *Load, alias, path string) Added {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := Added{Tables: map[string]Table{}}
	now := &loaded{load: load, alias: alias, path: path, hidden: map[string]bool{}, attached: true, used: time.Now()}
	for _, t := range load.Manifest.Tables {
		added.Tables[Aliased(alias, t.Name)] = t
	}
	for _, old := range s.loaded {
		added.Replaced = append(added.Replaced, old.hide(now)...)
	}
	s.loaded = slices.DeleteFunc(s.loaded, func(l *loaded) bool { return len(l.hidden) > 0 && len(l.tables()) == 0 || l.sameAs(now) })
	s.loaded = append(s.loaded, now)
	added.Evicted = s.evict(map[string]bool{load.Key: true})
	s.version++
	slices.Sort(added.Replaced)
	return added
}

// hide hides the tables that now has too and returns those of another recording.
func (l *loaded) hide(now *loaded) []string {
	theirs := map[string]bool{}
	for name := range now.tables() {
		theirs[strings.ToLower(name)] = true
	}
	var clash []string
	for name, table := range l.tables() {
		if !theirs[strings.ToLower(name)] {
			continue
		}
		l.hidden[table] = true
		if l.path != now.path {
			clash = append(clash, name)
		}
	}
	return clash
}

func (l *loaded) sameAs(o *loaded) bool { return l.load.Key == o.load.Key && l.alias == o.alias }

// tables are the visible tables: by the name that statements use, the name in
// the file. The metadata of several loads under one alias, or under none, is
// that of the last one.
func (l *loaded) tables() map[string]string {
	tables := map[string]string{}
	if !l.hidden[MetadataTable] {
		tables[Aliased(l.alias, MetadataTable)] = MetadataTable
	}
	for _, t := range l.load.Manifest.Tables {
		if !l.hidden[t.Name] {
			tables[Aliased(l.alias, t.Name)] = t.Name
		}
	}
	return tables
}

// evict detaches the loads longest unused until the rest fits, but not those
// with the keys in keep.
func (s *Set) evict(keep map[string]bool) []string {
	var evicted []string
	for s.attachedBytes() > s.budget {
		var oldest *loaded
		for _, l := range s.loaded {
			if l.attached && !keep[l.load.Key] && (oldest == nil || l.used.Before(oldest.used)) {
				oldest = l
			}
		}
		if oldest == nil {
			break
		}
		oldest.attached = false
		evicted = append(evicted, slices.Sorted(maps.Keys(oldest.tables()))...)
	}
	return evicted
}

func (s *Set) attachedBytes() int64 {
	var total int64
	counted := map[string]bool{}
	for _, l := range s.loaded {
		if l.attached && !counted[l.load.Key] {
			counted[l.load.Key] = true
			total += l.load.Bytes
		}
	}
	return total
}

// AttachedMB is what the attached loads take, of the budget in BudgetMB.
func (s *Set) AttachedMB() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.attachedBytes()) / (1 << 20)
}

// BudgetMB is the bound on AttachedMB.
func (s *Set) BudgetMB() float64 { return float64(s.budget) / (1 << 20) }

// Attach attaches the loads that have tables, where they were detached, and
// returns what statements see then. Together they stay attached even beyond the
// budget, since one statement needs them; others make room for them. It reports
// false when no load has one of the tables.
func (s *Set) Attach(tables []string) (c Catalog, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := map[string]bool{}
	for _, t := range tables {
		l := s.holder(t)
		if l == nil {
			return Catalog{}, false
		}
		keep[l.load.Key], l.used = true, time.Now()
		if !l.attached {
			l.attached = true
			s.version++
		}
	}
	s.evict(keep)
	return s.catalog(), true
}

// Attached reports whether a load is attached under any alias.
func (s *Set) Attached(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.loaded, func(l *loaded) bool { return l.attached && l.load.Key == key })
}

// DetachLost detaches the loads whose files are gone from the cache, and reports
// whether there are any.
func (s *Set) DetachLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := false
	for _, l := range s.loaded {
		if l.attached && !l.load.onDisk() {
			l.attached, lost = false, true
		}
	}
	if lost {
		s.version++
	}
	return lost
}

// Forget drops a load whose file is gone and returns the tables that went.
func (s *Set) Forget(key string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []string
	s.loaded = slices.DeleteFunc(s.loaded, func(l *loaded) bool {
		if l.load.Key != key {
			return false
		}
		gone = append(gone, slices.Sorted(maps.Keys(l.tables()))...)
		return true
	})
	s.version++
	return gone
}

func (s *Set) holder(table string) *loaded {
	for _, l := range s.loaded {
		for name := range l.tables() {
			if strings.EqualFold(name, table) {
				return l
			}
		}
	}
	return nil
}

// Use notes that a query used tables, so that others are evicted first.
func (s *Set) Use(tables []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tables {
		if l := s.holder(t); l != nil {
			l.used = time.Now()
		}
	}
}

// Names are the tables that statements may name, detached ones too, sorted.
func (s *Set) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := []string{}
	for _, l := range s.loaded {
		names = slices.AppendSeq(names, maps.Keys(l.tables()))
	}
	slices.Sort(names)
	return names
}

// Visible is a load in a set, with the path of its recording.
type Visible struct {
	Load *Load
	Path string
}

// Lost reports whether the load's file is gone from the cache.
func (v Visible) Lost() bool { return !v.Load.onDisk() }

// Holder is the load that has a table.
func (s *Set) Holder(table string) (v Visible, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.holder(table)
	if l == nil {
		return Visible{}, false
	}
	return Visible{l.load, l.path}, true
}

// Catalog is what statements may see: the attached table files, and under
// which names their tables go.
type Catalog struct {
	Version    string // differs whenever the rest does
	Files      []File
	Views      []View
	Recordings []Recording // also those whose tables were evicted
}

// File is a DuckDB file to attach READ_ONLY.
type File struct {
	Name string // what Views call it
	Path string
}

// View is a table of a file, under the name that statements use.
type View struct {
	Name  string
	File  string // File.Name
	Table string // in the file's main schema
}

// Recording is a row of the table _recordings. Times are nanoseconds.
type Recording struct {
	Alias        string
	FilePath     string
	StartTimeNS  uint64
	EndTimeNS    uint64
	DurationS    float64
	MessageCount uint64
	ChannelCount int
}

// Catalog is what statements see now.
func (s *Set) Catalog() Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catalog()
}

func (s *Set) catalog() Catalog {
	c := Catalog{Version: fmt.Sprint(s.version)}
	files := map[string]string{} // by load: one may be visible under several aliases, but is attached once
	for i, l := range s.loaded {
		c.Recordings = append(c.Recordings, l.recording())
		if !l.attached {
			continue
		}
		file, known := files[l.load.Key]
		if !known {
			file = fmt.Sprintf("load_%d", i)
			files[l.load.Key] = file
			c.Files = append(c.Files, File{Name: file, Path: l.load.Tables})
		}
		for name, table := range l.tables() {
			c.Views = append(c.Views, View{Name: name, File: file, Table: table})
		}
	}
	slices.SortFunc(c.Views, func(a, b View) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

func (l *loaded) recording() Recording {
	m := l.load.Manifest
	return Recording{Alias: l.alias, FilePath: filepath.ToSlash(l.path), StartTimeNS: m.Start, EndTimeNS: m.End,
		DurationS: float64(m.End-m.Start) / 1e9, MessageCount: m.MessageCount, ChannelCount: m.ChannelCount}
}

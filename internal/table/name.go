package table

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

// The tables that are there whatever the topics.
const (
	MetadataTable   = "_metadata"   // of each load: record_name, key, value
	recordingsTable = "_recordings" // what is loaded
)

var notIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]`)

// baseName is a topic's table name before names that clash are told apart:
// without its leading "/", with "_" for every character outside [A-Za-z0-9_].
func baseName(topic string) string {
	name := notIdentifier.ReplaceAllString(strings.TrimPrefix(topic, "/"), "_")
	switch {
	case name == "":
		return "unknown"
	case name[0] >= '0' && name[0] <= '9', strings.HasPrefix(strings.ToLower(name), "duckdb_"):
		return "_" + name // duckdb_… are the engine's own lists, which SHOW reads
	}
	return name
}

// tableNames gives each topic of a recording its table name. Topics must be
// sorted; those that would share a name, whatever its case, get "_2", "_3" in
// that order.
func tableNames(topics []string) map[string]string {
	free := decode.NewNames(MetadataTable, recordingsTable)
	names := make(map[string]string, len(topics))
	for _, topic := range topics {
		names[topic] = free.Take(baseName(topic))
	}
	return names
}

// NamesOf are the tables of a recording with these channels. Topics without a
// decoder have none, but count when names that clash are told apart.
func NamesOf(channels []*recording.Channel, decoders []decode.Decoder) []string {
	topics := make([]string, len(channels))
	decoded := map[string]bool{}
	for i, c := range channels {
		topics[i] = c.Topic
		schemaEncoding := ""
		if c.Schema != nil {
			schemaEncoding = c.Schema.Encoding
		}
		if DecoderFor(decoders, c.MessageEncoding, schemaEncoding) != nil {
			decoded[c.Topic] = true
		}
	}
	slices.Sort(topics)
	names := tableNames(slices.Compact(topics))
	maps.DeleteFunc(names, func(topic, _ string) bool { return !decoded[topic] })
	return slices.Sorted(maps.Values(names))
}

// Aliased is a table's name under an alias; an empty alias changes nothing.
func Aliased(alias, name string) string {
	if alias == "" {
		return name
	}
	return alias + "_" + name
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// ValidAlias reports whether alias can stand in front of table names.
func ValidAlias(alias string) bool { return identifier.MatchString(alias) }

// SQLName is name as it must be written in SQL: quoted when it is a reserved
// word or no plain identifier.
func SQLName(name string) string {
	if identifier.MatchString(name) && !reserved[strings.ToLower(name)] {
		return name
	}
	return decode.QuoteIdent(name)
}

// reserved are the words of duckdb_keywords() that can't name a table without
// quotes (DuckDB 1.5); a test holds the list against the engine.
var reserved = words(`all analyse analyze and any array as asc asymmetric both case cast check collate column
constraint create default deferrable desc describe distinct do else end except false fetch for foreign from
group having in initially intersect into lambda lateral leading limit not null offset on only or order pivot
pivot_longer pivot_wider placing primary qualify references returning select show some summarize symmetric table
then to trailing true union unique unpivot using variadic when where window with
anti asof at authorization binary by collation concurrently cross freeze full glob ilike inner is isnull join
left like natural notnull outer overlaps positional right semi similar tablesample unpack verbose`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

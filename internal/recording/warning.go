package recording

import "fmt"

// Warning tells what is damaged or odd in a recording and what became of it.
type Warning struct {
	Code   string `json:"code"`   // one of the Warn constants
	Offset int64  `json:"offset"` // in the file; -1 where there is no one place
	Text   string `json:"text"`   // what was expected and found, what was saved and lost
}

// Codes of warnings. They are stable words that callers may rely on.
const (
	WarnTruncated              = "truncated"               // the file ends before its last record
	WarnCutChunk               = "cut_chunk"               // a chunk's end is missing; its beginning was read
	WarnBadChunk               = "bad_chunk"               // a chunk can't be read
	WarnChunkCRC               = "chunk_crc"               // a chunk's bytes differ from its checksum
	WarnUnsupportedCompression = "unsupported_compression" // a chunk is compressed by a method that we don't know
	WarnNestedChunk            = "nested_chunk"            // a chunk lies in a chunk
	WarnBadRecord              = "bad_record"              // a record breaks the format
	WarnBadSummary             = "bad_summary"             // the summary section can't be used
	WarnSummaryCRC             = "summary_crc"             // the summary section differs from its checksum
	WarnStatisticsWrong        = "statistics_wrong"        // the statistics don't match the messages
	WarnUnknownChannel         = "unknown_channel"         // messages name a channel that is not defined
	WarnMissingSchema          = "missing_schema"          // a channel names a schema that is not defined
	WarnChannelRedefined       = "channel_redefined"       // one channel id means several channels
	WarnTooManyDefinitions     = "too_many_definitions"    // there are more channels or schemas than we keep
	WarnBadAttachment          = "bad_attachment"          // an attachment can't be described
	WarnBadMetadata            = "bad_metadata"            // a metadata record can't be read
	WarnTrailingData           = "trailing_data"           // bytes follow the end of the recording
	WarnConcatenated           = "concatenated"            // a second recording follows the first
	WarnReadFailed             = "read_failed"             // the operating system could not read
)

// Loss reports whether something that the recording should hold can't be had.
// The other warnings tell of oddities that cost nothing.
func (w Warning) Loss() bool {
	switch w.Code {
	case WarnBadSummary, WarnSummaryCRC, WarnStatisticsWrong, WarnChannelRedefined, WarnTrailingData, WarnConcatenated:
		return false
	}
	return true
}

// String is the warning in one line.
func (w Warning) String() string {
	if w.Offset < 0 {
		return w.Text
	}
	return fmt.Sprintf("%s (at byte %d)", w.Text, w.Offset)
}

// warningsPerCode is how many warnings of one code a Warnings keeps.
const warningsPerCode = 20

// Warnings collects warnings and keeps their number bounded, however damaged a
// file is. The zero value is ready. It is for one goroutine.
type Warnings struct {
	list []Warning
	seen map[string]int
}

// Add notes a warning. Beyond the first few of a code they are only counted.
func (w *Warnings) Add(code string, offset int64, format string, args ...any) {
	if w.seen == nil {
		w.seen = make(map[string]int)
	}
	w.seen[code]++
	if w.seen[code] <= warningsPerCode {
		w.list = append(w.list, Warning{Code: code, Offset: offset, Text: fmt.Sprintf(format, args...)})
	}
}

// Append adds warnings that were collected elsewhere.
func (w *Warnings) Append(list []Warning) {
	for _, x := range list {
		w.Add(x.Code, x.Offset, "%s", x.Text)
	}
}

// Has reports whether a warning of the code was added.
func (w *Warnings) Has(code string) bool { return w.seen[code] > 0 }

// List returns the warnings in the order they were added, then one for each
// code of which some were only counted.
func (w *Warnings) List() []Warning {
	list := w.list
	told := make(map[string]bool)
	for _, x := range w.list {
		if more := w.seen[x.Code] - warningsPerCode; more > 0 && !told[x.Code] {
			told[x.Code] = true
			list = append(list[:len(list):len(list)], Warning{Code: x.Code, Offset: -1, Text: fmt.Sprintf("%d more of this kind", more)})
		}
	}
	return list
}

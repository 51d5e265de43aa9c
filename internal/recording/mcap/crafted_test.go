package mcap

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/recording"
)

// craftedFiles are the corpus's inputs that each hold one trap (see
// EXPECTED.json there): how many messages the summary counts, how many can be
// read, and the codes of the warnings of the two.
var craftedFiles = []struct {
	name           string
	indexed        bool
	count          uint64
	rows           int
	summary, reads []string
}{
	{"3000_topics", true, 3000, 3000, nil, nil},
	{"all_same_log_time", true, 10, 10, nil, nil},
	{"attachment_name_len_4gb", true, 10, 10, []string{"bad_attachment"}, nil},
	{"attachments_metadata_odd", true, 10, 10, nil, nil},
	{"boot_relative_time", true, 10, 10, nil, nil},
	{"chunked_no_summary", false, 10, 10, nil, nil},
	{"chunkindex_no_messageindex", false, 10, 10, nil, nil},
	{"chunkindex_no_mi_no_summary_channels", false, 10, 10, nil, nil},
	{"chunkindex_no_summary_channels", false, 10, 10, nil, nil},
	{"chunkindex_offset_past_eof", false, 10, 10, []string{"bad_summary"}, nil},
	{"comp_lz4-checksum", true, 10, 10, nil, nil},
	{"comp_lz4", true, 10, 10, nil, nil},
	{"comp_none", true, 10, 10, nil, nil},
	{"comp_zstd-multi", true, 10, 10, nil, nil},
	{"comp_zstd-stream", true, 10, 10, nil, nil},
	{"compression_name_long", true, 10, 5, []string{"unsupported_compression"}, []string{"unsupported_compression"}},
	{"compression_unknown", true, 10, 5, []string{"unsupported_compression"}, []string{"unsupported_compression"}},
	{"concatenated_twice", false, 20, 20, []string{"concatenated", "summary_crc"}, []string{"concatenated"}},
	{"hostile_topic_names", true, 24, 24, nil, nil},
	{"log_time_0_and_2554", true, 10, 10, nil, nil},
	{"log_time_maxuint64", true, 10, 10, nil, nil},
	{"magic_header_only", false, 0, 0, []string{"truncated"}, []string{"truncated"}},
	{"message_before_channel", false, 12, 12, []string{"statistics_wrong"}, nil},
	{"message_unknown_channel", false, 9, 9, []string{"unknown_channel"}, []string{"unknown_channel"}},
	{"metadata_duplicate_keys", true, 10, 10, nil, nil},
	{"metadata_map_len_bad", true, 10, 10, []string{"bad_metadata"}, nil},
	{"nested_chunk", true, 10, 10, nil, []string{"nested_chunk"}},
	{"no_statistics", false, 10, 10, nil, nil},
	{"none_uncompressed_size_too_big", true, 10, 5, nil, []string{"bad_chunk"}},
	{"none_uncompressed_size_too_small", true, 10, 5, nil, []string{"bad_chunk"}},
	{"ok_zstd", true, 10, 10, nil, nil},
	{"record_len_2pow63", false, 10, 10, []string{"bad_record"}, []string{"bad_record"}},
	{"reserved_opcode_0x1f", true, 10, 10, nil, nil},
	{"reverse_order", true, 10, 10, nil, nil},
	{"same_topic_two_schemas", true, 10, 10, nil, nil},
	{"schema_channel_repeated_400x", true, 10, 10, nil, nil},
	{"stale_messages_none", true, 7, 5, nil, []string{"bad_chunk"}},
	{"statistics_lie_high", false, 10, 10, []string{"statistics_wrong"}, nil},
	{"statistics_lie_zero", false, 10, 10, []string{"statistics_wrong"}, nil},
	{"summary_channels_no_schemas", false, 10, 10, nil, nil},
	{"summary_crc_bad", false, 10, 10, []string{"summary_crc"}, nil},
	{"summary_no_chunkindex", false, 10, 10, nil, nil},
	{"summary_start_into_data", false, 10, 10, []string{"bad_summary"}, nil},
	{"summary_start_past_eof", false, 10, 10, []string{"bad_summary"}, nil},
	{"trailing_garbage", true, 10, 10, []string{"trailing_data"}, nil},
	{"trunc_half_end_magic", false, 10, 10, []string{"truncated"}, []string{"truncated"}},
	{"trunc_mid_chunk", false, 5, 5, []string{"cut_chunk", "truncated"}, []string{"cut_chunk", "truncated"}},
	{"trunc_mid_summary", false, 10, 10, []string{"truncated"}, []string{"truncated"}},
	{"unchunked_no_summary", false, 10, 10, nil, nil},
	{"unchunked_with_stats", false, 10, 10, nil, nil},
	{"uncompressed_size_2pow62", true, 10, 5, nil, []string{"bad_chunk"}},
	{"uncompressed_size_3gib", true, 10, 5, nil, []string{"bad_chunk"}},
	{"unknown_opcodes", true, 10, 10, nil, nil},
	{"wide_5000_columns", true, 1, 1, nil, nil},
	{"zero_opcode", false, 10, 10, []string{"bad_record"}, []string{"bad_record"}},
	{"zstd_bitflip", true, 10, 5, nil, []string{"bad_chunk"}},
	{"zstd_bomb_200mb", true, 1, 0, nil, []string{"bad_chunk"}},
	{"zstd_chunk_with_padding", true, 10, 10, nil, nil},
	{"zstd_uncompressed_size_stale", true, 10, 5, nil, []string{"bad_chunk"}},
}

func TestCraftedFiles(t *testing.T) {
	dir := corpustest.Recording(t, "crafted/container")
	for _, want := range craftedFiles {
		t.Run(want.name, func(t *testing.T) {
			f := openPath(t, filepath.Join(dir, want.name+".mcap"))
			sum, err := f.Summary(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(t, f, sum, recording.Selection{})
			if sum.Indexed != want.indexed || sum.MessageCount != want.count || len(got.messages) != want.rows {
				t.Errorf("indexed %v, %d messages counted, %d read; want %v, %d, %d",
					sum.Indexed, sum.MessageCount, len(got.messages), want.indexed, want.count, want.rows)
			}
			if diff := cmp.Diff(want.summary, codesOf(sum.Warnings)); diff != "" {
				t.Errorf("warnings of the summary (-want +got):\n%s%v", diff, sum.Warnings)
			}
			if diff := cmp.Diff(want.reads, got.codes); diff != "" {
				t.Errorf("warnings of reading (-want +got):\n%s%v", diff, got.warnings)
			}

			f.scanUpTo = smallFile // as files of this size are read outside of tests
			if sum, err = f.Summary(t.Context()); err != nil {
				t.Fatal(err)
			}
			full := readAll(t, f, sum, recording.Selection{})
			if len(full.messages) != want.rows || !sum.Indexed && sum.MessageCount != uint64(want.rows) {
				t.Errorf("read in full: %d messages counted, %d read", sum.MessageCount, len(full.messages))
			}
			for _, code := range full.codes {
				if !sum.Indexed && !slices.Contains(codesOf(sum.Warnings), code) {
					t.Errorf("read in full: the summary does not tell of %s", code)
				}
			}
		})
	}
}

// TestCraftedFilesAreAllExpected makes sure that a new file in the corpus is not passed over.
func TestCraftedFilesAreAllExpected(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpustest.Recording(t, "crafted/container"), "*.mcap"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path[:len(path)-len(".mcap")])
		listed := false
		for _, f := range craftedFiles {
			listed = listed || f.name == name
		}
		head, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := claims(head[:min(len(head), 512)]); ok != listed {
			t.Errorf("%s: claimed as MCAP %v, listed as readable %v", name, ok, listed)
		}
	}
}

// TestHostileSizesAllocateLittle reads files whose declared sizes are far beyond
// what they hold.
func TestHostileSizesAllocateLittle(t *testing.T) {
	const most = 16 << 20
	dir := corpustest.Recording(t, "crafted/container")
	for _, name := range []string{"zstd_bomb_200mb", "uncompressed_size_3gib", "uncompressed_size_2pow62", "attachment_name_len_4gb", "record_len_2pow63", "metadata_map_len_bad"} {
		f := openPath(t, filepath.Join(dir, name+".mcap"))
		if n := allocated(func() {
			sum, err := f.Summary(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			readAll(t, f, sum, recording.Selection{})
		}); n > most {
			t.Errorf("%s: allocated %d bytes, want at most %d", name, n, most)
		}
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTimesAtTheEdges covers log times that other readers lose.
func TestTimesAtTheEdges(t *testing.T) {
	dir := corpustest.Recording(t, "crafted/container")
	for name, want := range map[string][2]uint64{
		"log_time_0_and_2554": {0, 0xfffffffffaa3b800},
		"log_time_maxuint64":  {1700000000000000000, 1<<64 - 1},
	} {
		f := openPath(t, filepath.Join(dir, name+".mcap"))
		sum, err := f.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]uint64{sum.Start, sum.End}; got != want {
			t.Errorf("%s: from %d to %d, want %v", name, sum.Start, sum.End, want)
		}
		last := readAll(t, f, sum, recording.Selection{From: want[1]})
		if !slices.ContainsFunc(last.messages, func(m recording.Message) bool { return m.LogTime == want[1] }) {
			t.Errorf("%s: the message at %d is not read", name, want[1])
		}
	}
}

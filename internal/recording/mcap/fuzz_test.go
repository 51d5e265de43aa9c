package mcap

import (
	"bytes"
	"testing"

	"tapedeck/internal/recording"
)

// FuzzRecording reads any bytes as a recording. What the summary counts by a
// scan must be what the blocks give, and a summary by index must agree with the
// scan when nothing is wrong with the file.
func FuzzRecording(f *testing.F) {
	for _, w := range soundFiles() {
		w.messages, w.options.ChunkSize = 12, 200
		f.Add(written(f, w))
	}
	define := join(schemaRecord(1, "T", "int32 n"), channelRecord(1, 1, "/a"))
	f.Add(fileOf(define, chunkRecord(f, zstdName, messageRecord(1, 1, "x")), metadataRecord("m"), attachmentRecord("a", 3, "abc"), messageRecord(1, 2, "")))
	f.Add(cutFile(define, chunkRecord(f, lz4Name, channelRecord(1, 0, "/b"), messageRecord(1, 1, "x"))))
	f.Fuzz(func(t *testing.T, b []byte) {
		if ok, err := claims(b[:min(len(b), 512)]); !ok || err != nil {
			return
		}
		file, err := open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		file.scanUpTo = 0
		sum := summarise(t, file)
		scan := scanned(t, file)
		if got := readAll(t, file, scan, recording.Selection{}); uint64(len(got.messages)) != scan.MessageCount {
			t.Errorf("the scan counts %d messages, %d were read: %v", scan.MessageCount, len(got.messages), got.warnings)
		}
		got := readAll(t, file, sum, recording.Selection{})
		if sum.Indexed && len(scan.Warnings) == 0 && len(got.warnings) == 0 && sum.MessageCount != scan.MessageCount {
			t.Errorf("the index counts %d messages, the scan %d", sum.MessageCount, scan.MessageCount)
		}
		for _, m := range got.messages {
			if m.Channel == nil {
				t.Fatal("a message without a channel")
			}
		}
	})
}

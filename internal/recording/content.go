package recording

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// contents are files that people give in place of a recording.
var contents = []struct{ prefix, is string }{
	{"version https://git-lfs.github.com/spec/", "it is a Git LFS pointer, which stands for the file; run `git lfs pull` to fetch the recording"},
	{"\x28\xb5\x2f\xfd", "the whole file is compressed with zstd (as rosbag2's file compression does); run `zstd -d` on it and open the result"},
	{"\x04\x22\x4d\x18", "the whole file is compressed with LZ4; run `lz4 -d` on it and open the result"},
	{"\x1f\x8b", "it is compressed with gzip; run `gunzip` on it and open the result"},
	{"BZh", "it is compressed with bzip2; run `bunzip2` on it and open the result"},
	{"\xfd7zXZ\x00", "it is compressed with xz; run `unxz` on it and open the result"},
	{"PK\x03\x04", "it is a zip archive; unpack it and open the recording inside"},
	{"#ROSBAG V2.0", "it is a ROS 1 bag; convert it with `mcap convert IN.bag OUT.mcap`"},
	{"#ROSBAG", "it is a ROS 1 bag of an old version; run `rosbag fix`, then `mcap convert IN.bag OUT.mcap`"},
	{"SQLite format 3\x00", "it is a SQLite database, perhaps a ROS 2 bag (.db3); convert it with `mcap convert IN.db3 OUT.mcap`"},
	{"rosbag2_bagfile_information:", "it is the metadata.yaml of a ROS 2 bag; open the .mcap files beside it"},
	{"PAR1", "it is a Parquet file"},
	{"ULog\x01\x12\x35", "it is a PX4 ULog file"},
	{"\x89HDF\r\n\x1a\n", "it is an HDF5 file"},
	{"<!DOCTYPE html", "it is a web page, perhaps the answer to a failed download"},
	{"<!doctype html", "it is a web page, perhaps the answer to a failed download"},
	{"<html", "it is a web page, perhaps the answer to a failed download"},
}

// describeContent says what a file that no container claims seems to be.
func describeContent(head []byte) string {
	if len(head) == 0 {
		return "the file is empty"
	}
	for _, c := range contents {
		if bytes.HasPrefix(head, []byte(c.prefix)) {
			return c.is
		}
	}
	if isText(head) {
		return fmt.Sprintf("it is text that begins with %q", firstLine(head, 40))
	}
	if len(bytes.Trim(head, "\x00")) == 0 {
		return "it begins with nothing but zero bytes, as a file whose data never reached the disk does"
	}
	return fmt.Sprintf("it begins with the bytes % x, which are no kind of recording that is known here", head[:min(8, len(head))])
}

func isText(head []byte) bool {
	s := string(head)
	for i, r := range s {
		if r == utf8.RuneError && i < len(s)-utf8.UTFMax { // not the rune that the head's end cuts
			return false
		}
		if r < ' ' && !strings.ContainsRune("\t\r\n\f", r) {
			return false
		}
	}
	return true
}

func firstLine(head []byte, most int) string {
	line, _, _ := strings.Cut(string(head), "\n")
	line = strings.TrimSpace(line)
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}

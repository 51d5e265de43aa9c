package recording

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fake claims files that begin with "FAKE" and finds those with "FAKF" spoilt.
var fake = Container{
	Name: "fake",
	Claims: func(head []byte) (bool, error) {
		if strings.HasPrefix(string(head), "FAKF") {
			return false, errors.New("it is a spoilt fake")
		}
		return strings.HasPrefix(string(head), "FAKE"), nil
	},
	Open: func(io.ReaderAt, int64) (File, error) { return nil, nil },
}

func TestOpenAsSaysWhatTheFileIs(t *testing.T) {
	for _, c := range []struct{ name, content, says string }{
		{"empty", "", "the file is empty"},
		{"git lfs pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:f380\nsize 633\n", "git lfs pull"},
		{"zstd", "\x28\xb5\x2f\xfd\x64\x0b", "zstd -d"},
		{"gzip", "\x1f\x8b\x08\x00", "gunzip"},
		{"lz4", "\x04\x22\x4d\x18", "lz4 -d"},
		{"ros 1 bag", "#ROSBAG V2.0\n", "ROS 1 bag"},
		{"sqlite", "SQLite format 3\x00\x10", "SQLite"},
		{"bag metadata", "rosbag2_bagfile_information:\n  version: 5\n", ".mcap files beside it"},
		{"web page", "<!DOCTYPE html>\n<html>", "web page"},
		{"text", "Naïve notes\nof a run", `text that begins with "Naïve notes"`},
		{"zeroes", strings.Repeat("\x00", 600), "zero bytes"},
		{"other bytes", "\x01\x02\xff\xfe", "01 02 ff fe"},
		{"spoilt", "FAKF", "spoilt fake"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.mcap")
			write(t, path, c.content)
			_, err := OpenAs(path, []Container{fake})
			if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want ErrNotRecording with %q", err, c.says)
			}
			if strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("the error is not one line: %v", err)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "good")
	write(t, path, "FAKE recording")
	if _, err := OpenAs(path, []Container{fake}); err != nil {
		t.Errorf("a good file: %v", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenAsRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	plain, bag, pipe := filepath.Join(dir, "plain"), filepath.Join(dir, "bag"), filepath.Join(dir, "pipe")
	for _, d := range []string{plain, bag} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"metadata.yaml", "bag_0.mcap", "bag_1.mcap"} {
		write(t, filepath.Join(bag, name), "")
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		plain:      "it is a folder without .mcap files",
		bag:        "ROS 2 bag; open a file in it: bag_0.mcap, bag_1.mcap",
		pipe:       "it is a pipe",
		os.DevNull: "it is a device",
	} {
		done := make(chan error, 1)
		go func() {
			_, err := OpenAs(path, []Container{fake})
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want ErrNotRecording with %q", path, err, says)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: opening hangs", path)
		}
	}
	if _, err := OpenAs(filepath.Join(dir, "nothing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// headSize is how many bytes of a file its container is recognised by.
const headSize = 512

// Container is a format of recordings.
type Container struct {
	Name string
	// Claims reports whether a file that begins with head is of this format.
	// An error says that it was meant to be and is spoilt, in one sentence. A
	// head shorter than 512 bytes is the whole file.
	Claims func(head []byte) (bool, error)
	// Open reads the recording in the first size bytes of r. The file's Close
	// closes r if it is an io.Closer.
	Open func(r io.ReaderAt, size int64) (File, error)
}

// OpenAs opens the file at path as the container that claims its content.
// Folders, devices and pipes are refused. Errors wrap ErrNotRecording or
// ErrDamaged, or are the file system's.
func OpenAs(path string, containers []Container) (File, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	rec, err := openContainer(f, size, containers)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rec, nil
}

// openRegular opens path only if it is a regular file. It looks before it
// opens, as opening may already do harm to a device, and it does not block on a
// pipe that takes the file's place in between.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := CheckFile(path, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err = f.Stat()
	if err == nil {
		err = CheckFile(path, info)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// CheckFile refuses all that is no regular file, with an error that wraps
// ErrNotRecording and says what it is and what to do.
func CheckFile(path string, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s: %w: %s", path, ErrNotRecording, describeFolder(path))
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s: %w: it is a pipe; save the recording to a file first", path, ErrNotRecording)
	case mode&fs.ModeSocket != 0:
		return fmt.Errorf("%s: %w: it is a socket", path, ErrNotRecording)
	}
	return fmt.Errorf("%s: %w: it is a device", path, ErrNotRecording)
}

// describeFolder says which files of a folder to open instead. A rosbag2
// recording is a folder with metadata.yaml beside its files.
func describeFolder(path string) string {
	const most = 10
	entries, err := os.ReadDir(path)
	if err != nil {
		return "it is a folder; give the path of a file in it"
	}
	kind := "it is a folder"
	var names []string
	for _, e := range entries {
		switch {
		case e.Name() == "metadata.yaml":
			kind = "it is the folder of a ROS 2 bag"
		case strings.EqualFold(filepath.Ext(e.Name()), ".mcap"):
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return kind + " without .mcap files"
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return kind + "; open a file in it: " + strings.Join(names, ", ") + more
}

func openContainer(f *os.File, size int64, containers []Container) (File, error) {
	head := make([]byte, min(headSize, size))
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading its first bytes: %w", err)
	}
	head = head[:n]
	for _, c := range containers {
		ok, err := c.Claims(head)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotRecording, err)
		}
		if ok {
			return c.Open(f, size)
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrNotRecording, describeContent(head))
}

// Package open opens recordings of every container that tapedeck reads. It
// holds the list of them and nothing else: see packages recording and mcap.
package open

import (
	"tapedeck/internal/recording"
	"tapedeck/internal/recording/mcap"
)

// containers are tried in this order. A new container is one line here.
var containers = []recording.Container{
	mcap.Container,
}

// File opens the recording at path, whatever container its content shows it to
// be in. Folders, devices and pipes are refused. Errors wrap
// recording.ErrNotRecording or recording.ErrDamaged, or are the file system's.
func File(path string) (recording.File, error) {
	return recording.OpenAs(path, containers)
}

package sample

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
)

// sessions are logs of AI agents, laid out as in a home folder: a flaky test
// that was mended, a question to the drives with a sub-agent, a Codex session.
//
//go:embed sessions
var sessions embed.FS

// WriteSessions writes logs of three AI-agent sessions into dir, for `tapedeck
// import`, and returns their paths. Files that are there are replaced.
func WriteSessions(dir string) ([]string, error) {
	var paths []string
	err := fs.WalkDir(sessions, "sessions", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sessions.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name[len("sessions/"):]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		paths = append(paths, path)
		return os.WriteFile(path, text, 0o644)
	})
	return paths, err
}

package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// userDataDir is where programs keep a user's data; the standard library has
// such functions for caches and configuration only.
func userDataDir() (string, error) {
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return dir, nil
		}
	}
	// XDG Base Directory Specification: a relative path is to be ignored.
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}

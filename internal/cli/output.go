package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// jsonFlag adds --json, which every command has that prints a table.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON prints what programs read, indented for people who look at it.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(&jsonText{w: w})
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// writeFile makes the file at path from what write gives. A file that is there
// stays as it is until the new one is whole; pipes and devices are written to.
func writeFile(path string, write func(io.Writer) error) error {
	replaced, err := replaceable(path)
	if err != nil {
		return err
	}
	name, flags := path, os.O_WRONLY
	if replaced {
		name = filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.partial", filepath.Base(path), os.Getpid()))
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return fmt.Errorf("making the output file %s: %w", path, causeOf(err))
	}
	err = errors.Join(write(f), f.Close())
	if !replaced {
		return err
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// causeOf is err without the name of the file, which may be one that only we know.
func causeOf(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// replaceable reports whether a file can be put at path: nothing is there, or a
// file. A device or pipe must not be replaced, a folder can't be.
func replaceable(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("making the output file %s: %w", path, causeOf(err))
	case info.IsDir():
		return false, fmt.Errorf("making the output file: %s is a folder", path)
	}
	return info.Mode().IsRegular(), nil
}

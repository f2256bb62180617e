package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file under a temporary name beside it and renames it, so
// that a reader sees all of it or none. It replaces a file that exists.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return unwritable(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = unwritable(path, err)
		}
	}()
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// unwritable names the file, not the temporary one that nobody knows.
func unwritable(path string, err error) error {
	var on *fs.PathError
	if errors.As(err, &on) {
		err = on.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

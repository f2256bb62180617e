package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file under a temporary name beside it and renames it, so
// that a reader sees all of it or none.
func writeFile(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("results: writing %s: %w", path, cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("results: writing %s: %w", path, cause(err))
		}
	}()
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// cause returns why an operation on a file failed, without the temporary name
// that nobody knows.
func cause(err error) error {
	var on *fs.PathError
	if errors.As(err, &on) {
		return on.Err
	}
	return err
}

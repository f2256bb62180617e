// Package atomicfile writes files that are whole or absent.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file under a temporary name beside it and renames it, so that a
// reader sees all of it or none. It replaces a file that exists. Everyone may
// read the file.
func Write(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Unwrap(err))
	}
	buffer := bufio.NewWriter(f)
	if err = cmp.Or(write(buffer), buffer.Flush(), f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", path, cause(err, f.Name()))
	}
	return nil
}

// cause returns why an operation on the temporary file failed, without its name,
// which nobody knows. An error about another file, such as one that is read while
// this one is written, stays whole.
func cause(err error, temporary string) error {
	var on *fs.PathError
	var renaming *os.LinkError
	switch {
	case errors.As(err, &renaming) && renaming.Old == temporary:
		return renaming.Err
	case errors.As(err, &on) && on.Path == temporary:
		return on.Err
	}
	return err
}

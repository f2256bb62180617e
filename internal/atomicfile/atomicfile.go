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
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Discard()
		return fmt.Errorf("writing %s: %w", path, cause(err, f.file.Name()))
	}
	return f.Commit()
}

// A File is written bit by bit, as Write does it: nobody sees it before Commit. It is
// used by one goroutine. A process that is killed leaves the temporary file.
type File struct {
	path   string
	file   *os.File
	buffer *bufio.Writer
}

// Create makes a temporary file beside path.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, errors.Unwrap(err))
	}
	return &File{path, f, bufio.NewWriter(f)}, nil
}

// Write implements io.Writer. After an error nothing more is written, and Commit
// returns it.
func (f *File) Write(p []byte) (int, error) { return f.buffer.Write(p) }

// Commit gives the file its name, if all of it could be written. It is removed else.
func (f *File) Commit() error {
	err := cmp.Or(f.buffer.Flush(), f.file.Chmod(0o644), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		f.Discard()
		return fmt.Errorf("writing %s: %w", f.path, cause(err, f.file.Name()))
	}
	return nil
}

// Discard removes the file.
func (f *File) Discard() {
	_ = f.file.Close() // it may be closed
	_ = os.Remove(f.file.Name())
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

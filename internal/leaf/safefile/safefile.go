// Package safefile reads and writes files safely: a file that is written is whole or absent, and a
// file that is read is a regular one of a bounded length. Another program may have created it: a
// named pipe or a device may never end.
package safefile

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

// Open opens a regular file, or standard input by any path. A folder opens, but cannot be read.
// The caller closes the file.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() && !isStdin(info) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, neither a regular file nor standard input", kind(info.Mode()))}
	}
	return os.Open(path)
}

func isStdin(info fs.FileInfo) bool {
	stdin, err := os.Stdin.Stat()
	return err == nil && os.SameFile(info, stdin) && info.Mode()&fs.ModeDevice == 0
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "of another kind"
}

// Read reads a file that [Open] opens, of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, path, most)
}

// ReadAll reads the rest of a file, of at most so many bytes.
func ReadAll(file io.Reader, path string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is longer than the limit of %d MiB", most>>20)}
	}
	return text, err
}

// Write writes a file under a temporary name in the same folder and renames it, so that a
// reader sees all of it or none. It replaces an existing file. All users may read the file.
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

// A File is written in steps, and does not exist under its name before Commit. One goroutine
// uses it. A process that is killed leaves the temporary file behind.
type File struct {
	path    string
	file    *os.File
	backlog *Backlog
	buffer  *bufio.Writer
}

// Create creates a temporary file in the folder of path.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, errors.Unwrap(err))
	}
	backlog := NewBacklog(f)
	return &File{path, f, backlog, bufio.NewWriter(backlog)}, nil
}

// Write implements io.Writer. After an error nothing more is written, and Commit
// returns it.
func (f *File) Write(p []byte) (int, error) { return f.buffer.Write(p) }

// Sync has all that was written on the disk when it returns.
func (f *File) Sync() error {
	if err := cmp.Or(f.buffer.Flush(), f.backlog.Flush(), f.file.Sync()); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, cause(err, f.file.Name()))
	}
	return nil
}

// Commit gives the file its name, if all of it could be written. Otherwise it removes it.
func (f *File) Commit() error {
	err := cmp.Or(f.buffer.Flush(), f.backlog.Flush(), f.file.Chmod(0o644), f.file.Close())
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

// cause returns why an operation on the temporary file failed, without the name of that
// file, which means nothing to the user. It returns errors about other files unchanged.
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

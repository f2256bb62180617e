// Package file reads and writes the files of results.
package file

import (
	"fmt"
	"io"
	"os"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// CreateAppend creates a file that must not exist. Each Write appends all of its data or
// nothing. What a full disk does not take is held.
func CreateAppend(path string) (*safefile.Backlog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644) //nolint:gosec // results are for everyone to read
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", path, err)
	}
	return safefile.NewBacklog(&wholeFile{file: f}), nil
}

// A wholeFile appends all data of a Write to a file, or nothing: when a disk becomes full in
// the middle, it truncates the file to its size before. So the file is intact when there is
// room again.
type wholeFile struct {
	file appender
	size int64
}

// An appender is an *os.File that appends.
type appender interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Write implements io.Writer. n is 0 or len(p), or the data that could not be taken back.
func (f *wholeFile) Write(p []byte) (n int, err error) {
	n, err = f.file.Write(p)
	if err != nil && n > 0 && f.file.Truncate(f.size) == nil {
		n = 0
	}
	f.size += int64(n)
	return n, err
}

// Close implements io.Closer.
func (f *wholeFile) Close() error { return f.file.Close() }

// Package safefile reads and writes files safely: a file that is written is whole or absent, and a
// file that is read is a regular one of a bounded length. Another program may have created it: a
// named pipe or a device may never end.
package safefile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
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

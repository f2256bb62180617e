package payload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Limits of the files of a folder, which are all in memory during a run.
const (
	minFile   = 16 // that of the stamp
	mostFiles = 10_000
	mostBytes = 64 << 20
)

// Files describe the messages in a folder: all its files but hidden ones, in the order of their names.
type Files struct {
	Count   int    `json:"count"`
	Bytes   int64  `json:"bytes"`   // of all
	Largest int    `json:"largest"` // bytes of the largest
	SHA256  string `json:"sha256"`  // of their hashes in order
}

// String returns the files for people.
func (f Files) String() string {
	return fmt.Sprintf("%d files, %d B, hash %.12s", f.Count, f.Bytes, f.SHA256)
}

// Read reads the files of a folder. The error names the file.
func Read(dir string) (Files, [][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Files{}, nil, err
	}
	var f Files
	var contents [][]byte
	all := sha256.New()
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		content, err := f.read(filepath.Join(dir, e.Name()))
		if err != nil {
			return Files{}, nil, err
		}
		contents = append(contents, content)
		hash := sha256.Sum256(content)
		all.Write(hash[:])
	}
	if f.Count == 0 {
		return Files{}, nil, fmt.Errorf("%s has no files: want one for each message", dir)
	}
	f.SHA256 = hex.EncodeToString(all.Sum(nil))
	return f, contents, nil
}

// read reads one more file, and counts it. It checks the size first, so that a folder of large files ends
// in an error and not in a lack of memory.
func (f *Files) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f.Count++
	f.Bytes += info.Size()
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file: remove it from the folder of messages", path)
	case info.Size() < minFile:
		return nil, fmt.Errorf("%s has %d B, below the %d B a stamp needs: remove it, or make it longer", path, info.Size(), minFile)
	case f.Count > mostFiles || f.Bytes > mostBytes:
		return nil, fmt.Errorf("%s: the folder has more than %d files or %d MiB: take fewer, they are all in memory", path, mostFiles, mostBytes>>20)
	}
	content, err := os.ReadFile(path)
	if err == nil && int64(len(content)) != info.Size() {
		err = fmt.Errorf("%s changes while it is read", path)
	}
	f.Largest = max(f.Largest, len(content))
	return content, err
}

package cause

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// largest is the size in bytes of the largest file that is read: 60,000 samples of 40 series take a fifth of it.
const largest = 1 << 26

// Save writes causes.json into the folder of a cell.
func Save(folder string, s *Samples) error {
	s.Schema = Schema
	return safefile.Write(filepath.Join(folder, File), func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// Read reads causes.json in the folder of a cell. The error is fs.ErrNotExist for a cell that was not sampled.
func Read(folder string) (*Samples, error) {
	path := filepath.Join(folder, File)
	text, err := safefile.Read(path, largest)
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	s := new(Samples)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if s.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %q, this version reads %q", path, s.Schema, Schema)
	}
	return s, nil
}

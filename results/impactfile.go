package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// ImpactFile is an agent's data about the messages of its part that faults may have affected. It
// is in the agent's folder until the parts of all agents are merged.
const ImpactFile = "harm.gob"

// SaveImpact writes that file.
func (f *CellFolder) SaveImpact(packed []byte) error {
	return safefile.Write(filepath.Join(f.dir, ImpactFile), func(w io.Writer) error {
		_, err := w.Write(packed)
		return err
	})
}

// TakeImpact reads that file and removes it; nil if there is none.
func (f *CellFolder) TakeImpact() ([]byte, error) {
	path := filepath.Join(f.dir, ImpactFile)
	packed, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return nil, fmt.Errorf("removing what was read: %w", err)
	}
	return packed, nil
}

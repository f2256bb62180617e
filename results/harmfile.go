package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
)

// HarmFile is what an agent knows of the messages of its part that faults may have harmed. It
// is in its folder until it is added to what the others know.
const HarmFile = "harm.gob"

// SaveHarm writes that file.
func (f *CellFolder) SaveHarm(packed []byte) error {
	return atomicfile.Write(filepath.Join(f.dir, HarmFile), func(w io.Writer) error {
		_, err := w.Write(packed)
		return err
	})
}

// TakeHarm reads that file and removes it; nil if there is none.
func (f *CellFolder) TakeHarm() ([]byte, error) {
	path := filepath.Join(f.dir, HarmFile)
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

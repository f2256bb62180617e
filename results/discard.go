package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotMeasured is the error for a cell without a result or a folder.
var ErrNotMeasured = fs.ErrNotExist

// DiscardCell removes the folder of a cell that was not measured to its end. It fails, and
// removes nothing, if the cell has a result.
func (s *Store) DiscardCell(id string) error {
	dir := s.Cell(id).Dir()
	_, err := os.Stat(filepath.Join(dir, CellFile))
	if err == nil {
		return fmt.Errorf("cell %s has a result, which is not removed", id)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for the result of cell %s: %w", id, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing cell %s: %w", id, err)
	}
	return nil
}

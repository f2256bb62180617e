package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotMeasured is the error of a cell whose folder holds no result, or is not there.
var ErrNotMeasured = fs.ErrNotExist

// DiscardCell removes the folder of a cell that was not measured to its end: of one that
// has a result nothing is removed, and that is an error.
func (s *Store) DiscardCell(id string) error {
	dir := s.Cell(id).Dir()
	_, err := os.Stat(filepath.Join(dir, CellFile))
	if err == nil {
		return fmt.Errorf("cell %s was measured: an existing result is not removed", id)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for the result of cell %s: %w", id, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing what there is of cell %s: %w", id, err)
	}
	return nil
}

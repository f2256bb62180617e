package results

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/results/internal/file"
)

// A CellFolder is the folder of one cell.
type CellFolder struct{ dir string }

// OpenCell returns the folder of a cell that may lie anywhere. See [Store.Cell].
func OpenCell(dir string) *CellFolder { return &CellFolder{dir: dir} }

// Dir returns the folder.
func (f *CellFolder) Dir() string { return f.dir }

// CreateIntervals creates intervals.hlog, which is written while the cell runs. Each Write
// appends all of its data or nothing. The caller closes it.
func (f *CellFolder) CreateIntervals() (io.WriteCloser, error) {
	return file.CreateAppend(filepath.Join(f.dir, IntervalsFile))
}

// Save writes cell.json.
func (f *CellFolder) Save(c *Cell) error {
	c.Schema = CellSchema
	return file.WriteJSON(filepath.Join(f.dir, CellFile), c)
}

// Read reads cell.json.
func (f *CellFolder) Read() (*Cell, error) {
	c := new(Cell)
	return c, file.ReadJSON(filepath.Join(f.dir, CellFile), c, &c.Schema, CellSchema, file.Small())
}

// SavePercentiles writes a .hgrm file, in milliseconds.
func (f *CellFolder) SavePercentiles(name string, h *histogram.Histogram) error {
	return writePercentiles(filepath.Join(f.dir, name), h)
}

func writePercentiles(path string, h *histogram.Histogram) error {
	return safefile.Write(path, func(w io.Writer) error { return histogram.WritePercentiles(w, h) })
}

// OpenIntervals opens intervals.hlog. The caller closes it.
func (f *CellFolder) OpenIntervals() (io.ReadCloser, error) {
	log, err := safefile.Open(filepath.Join(f.dir, IntervalsFile))
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return log, nil
}

package results

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/internal/regular"
)

// A CellFolder is the folder of one cell.
type CellFolder struct{ dir string }

// OpenCell returns the folder of a cell that may lie anywhere. See [Store.Cell].
func OpenCell(dir string) *CellFolder { return &CellFolder{dir: dir} }

// Dir returns the folder.
func (f *CellFolder) Dir() string { return f.dir }

// CreateIntervals creates intervals.hlog, which is written as the cell runs. What is
// written in one call is there as a whole or not at all. The caller closes it.
func (f *CellFolder) CreateIntervals() (io.WriteCloser, error) {
	path := filepath.Join(f.dir, IntervalsFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644) //nolint:gosec // results are for everyone to read
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", path, err)
	}
	return &wholeFile{file: file}, nil
}

// Save writes cell.json.
func (f *CellFolder) Save(c *Cell) error {
	c.Schema = CellSchema
	return writeJSON(filepath.Join(f.dir, CellFile), c)
}

// Read reads cell.json.
func (f *CellFolder) Read() (*Cell, error) {
	c := new(Cell)
	return c, readJSON(filepath.Join(f.dir, CellFile), c, &c.Schema, CellSchema, mostJSON)
}

// SavePercentiles writes a .hgrm file, in milliseconds.
func (f *CellFolder) SavePercentiles(name string, h *histogram.Histogram) error {
	return writePercentiles(filepath.Join(f.dir, name), h)
}

func writePercentiles(path string, h *histogram.Histogram) error {
	return atomicfile.Write(path, func(w io.Writer) error { return histogram.WritePercentiles(w, h) })
}

// OpenIntervals opens intervals.hlog. The caller closes it.
func (f *CellFolder) OpenIntervals() (io.ReadCloser, error) {
	file, err := regular.Open(filepath.Join(f.dir, IntervalsFile))
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return file, nil
}

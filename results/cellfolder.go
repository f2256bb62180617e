package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
// appends all of its data or nothing, or holds it while the disk is full. The caller closes it.
func (f *CellFolder) CreateIntervals() (*safefile.Backlog, error) {
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

// AgentsFolder holds a folder for each agent of a cell, with the files of a cell.
const AgentsFolder = "agents"

// CreateAgent creates the folder of an agent, which must not exist.
func (f *CellFolder) CreateAgent(name string) (*CellFolder, error) {
	folder := OpenCell(filepath.Join(f.dir, AgentsFolder, name))
	return folder, createFolder(folder.dir)
}

// A UsageWriter writes resources.json and resources.csv, an interval at a time.
type UsageWriter = file.RowWriter[Usage]

// CreateUsage creates both files. They get their names on Close.
func (f *CellFolder) CreateUsage() (*UsageWriter, error) {
	return file.CreateRows[Usage](f.dir, ResourcesFile, ResourcesTable, ResourcesSchema)
}

// ReadUsage reads resources.json. A cell of an earlier version has none: the
// error is then fs.ErrNotExist.
func (f *CellFolder) ReadUsage() ([]Usage, error) {
	var r Resources
	err := file.ReadJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema, file.Rows())
	return r.Intervals, err
}

// A NodesWriter writes nodes.json and nodes.csv, a node of an interval at a time.
type NodesWriter = file.RowWriter[NodeInterval]

// CreateNodes creates both files. They get their names on Close.
func (f *CellFolder) CreateNodes() (*NodesWriter, error) {
	return file.CreateRows[NodeInterval](f.dir, NodesFile, NodesTable, NodesSchema)
}

// ReadNodes reads nodes.json. The error is fs.ErrNotExist for a cell whose nodes were
// unknown.
func (f *CellFolder) ReadNodes() ([]NodeInterval, error) {
	var n Nodes
	err := file.ReadJSON(filepath.Join(f.dir, NodesFile), &n, &n.Schema, NodesSchema, file.Rows())
	return n.Intervals, err
}

// ImpactFile is an agent's data about the messages of its part that faults may have affected. It
// is in the agent's folder until the parts of all agents are merged.
const ImpactFile = "impact.bin"

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
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return nil, fmt.Errorf("taking what faults may have affected: %w", err)
	}
	return packed, nil
}

package results

import (
	"path/filepath"

	"github.com/brokerbench/brokerbench/results/internal/file"
)

// Resources is the content of resources.json: the usage of the process and the machine in each
// interval of intervals.hlog, in order.
type Resources struct {
	Schema    string  `json:"schema"` // ResourcesSchema
	Intervals []Usage `json:"intervals"`
}

// A UsageWriter writes resources.json and resources.csv, an interval at a time.
type UsageWriter struct{ *file.RowWriter[Usage] }

// CreateUsage creates both files. They get their names on Close.
func (f *CellFolder) CreateUsage() (*UsageWriter, error) {
	s, err := file.CreateRows[Usage](f.dir, ResourcesFile, ResourcesTable, ResourcesSchema)
	return &UsageWriter{s}, err
}

// ReadUsage reads resources.json. A cell of an earlier version has none: the
// error is then fs.ErrNotExist.
func (f *CellFolder) ReadUsage() ([]Usage, error) {
	var r Resources
	err := file.ReadJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema, file.Rows())
	return r.Intervals, err
}

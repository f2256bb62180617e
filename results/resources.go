package results

import "path/filepath"

// Resources is the content of resources.json: what the process and the machine
// did in each interval of the cell, in order. The intervals are those of
// intervals.hlog.
type Resources struct {
	Schema    string  `json:"schema"` // ResourcesSchema
	Intervals []Usage `json:"intervals"`
}

// A UsageWriter writes resources.json and resources.csv, an interval at a time.
type UsageWriter struct{ *series[Usage] }

// CreateUsage begins both files. They have their names after Close.
func (f *CellFolder) CreateUsage() (*UsageWriter, error) {
	s, err := createSeries[Usage](f.dir, ResourcesFile, ResourcesTable, ResourcesSchema)
	return &UsageWriter{s}, err
}

// ReadUsage reads resources.json. A cell of an earlier version has none: the
// error is then fs.ErrNotExist.
func (f *CellFolder) ReadUsage() ([]Usage, error) {
	var r Resources
	err := readJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema, mostResources)
	return r.Intervals, err
}

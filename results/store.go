// Package results defines the files that brokerbench stores, and reads and writes them. A run is
// a folder, <out>/<time>-<name>/, with its cells in cells/ and its summaries in summary/;
// docs/files.md lists every file and field.
//
// The first field of a JSON file names its schema. Within a schema fields are only
// added. Times are nanoseconds, in fields that end in _ns; rates are messages per
// second, in fields that end in _per_s.
package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results/internal/file"
)

// The schemas of the JSON files.
const (
	RunSchema       = "brokerbench/run/1"
	CellSchema      = "brokerbench/cell/1"
	ResourcesSchema = "brokerbench/resources/1"
	NodesSchema     = "brokerbench/nodes/1"
	SummarySchema   = "brokerbench/summary/1"
)

// The names of the files of a result set.
const (
	RunFile        = "run.json"
	CellsFolder    = "cells"
	CellFile       = "cell.json"
	ResponseFile   = "response.hgrm"
	ServiceFile    = "service.hgrm"
	CorrectedFile  = "corrected.hgrm"
	AckFile        = "ack.hgrm"
	CompleteFile   = "complete.hgrm"
	PublishedFile  = "published.hgrm"
	FirstFile      = "first.hgrm"
	EachFile       = "each.hgrm"
	OutwardFile    = "outward.hgrm"
	BackFile       = "back.hgrm"
	EchoFile       = "echo.hgrm"
	IntervalsFile  = "intervals.hlog"
	ResourcesFile  = "resources.json"
	ResourcesTable = "resources.csv"
	NodesFile      = "nodes.json"
	NodesTable     = "nodes.csv"
	SummaryFolder  = "summary"
	SummaryFile    = "summary.json"
	MergedFile     = "merged.hgrm"
	TableSuffix    = ".hgrm"
)

// Files returns the names of the files of a result set. None of them may be overwritten.
func Files() []string {
	list := []string{
		RunFile, CellFile, ResponseFile, ServiceFile, CorrectedFile, AckFile, CompleteFile, PublishedFile, FirstFile, EachFile, OutwardFile, BackFile, EchoFile, IntervalsFile, ResourcesFile, ResourcesTable, NodesFile, NodesTable, cause.File, SummaryFile, MergedFile,
	}
	for _, series := range SizedSeries() {
		for class := range schedule.MostSizes {
			list = append(list, OfSize(series, class)+TableSuffix)
		}
	}
	return list
}

// A Store is the folder of one run.
type Store struct{ dir string }

// Create creates a new folder <out>/<time>-<name>, with the name as plan.FileName writes it,
// and out if it does not exist. It never uses an existing folder: it adds a number to the
// name.
func Create(out, name string, at time.Time) (*Store, error) {
	if err := createParents(out); err != nil {
		return nil, err
	}
	base := filepath.Join(out, at.Format("20060102-150405")+"-"+plan.FileName(name))
	dir := base
	for n := 2; ; n++ {
		err := createLast(dir)
		if err == nil {
			return &Store{dir: dir}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
}

// createFolder creates a folder that must not exist, and those around it.
func createFolder(dir string) error {
	if err := createParents(filepath.Dir(dir)); err != nil {
		return err
	}
	return createLast(dir)
}

// createParents creates a folder and those around it, unless they exist.
func createParents(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return fmt.Errorf("creating folder %s: %w", dir, err)
	}
	return nil
}

// createLast creates a folder that must not exist, in one that does.
func createLast(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return fmt.Errorf("creating folder %s: %w", dir, err)
	}
	return nil
}

// Open returns the store in an existing folder of a run.
func Open(dir string) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, RunFile)); err != nil {
		return nil, fmt.Errorf("%s is not the folder of a run: %w", dir, err)
	}
	return &Store{dir: dir}, nil
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// SaveRun writes run.json. It is called repeatedly during a run.
func (s *Store) SaveRun(r Run) error {
	r.Schema = RunSchema
	return file.WriteJSON(filepath.Join(s.dir, RunFile), r)
}

// Run reads run.json.
func (s *Store) Run() (Run, error) {
	var r Run
	err := file.ReadJSON(filepath.Join(s.dir, RunFile), &r, &r.Schema, RunSchema, file.Small())
	return r, err
}

// Cell returns the folder of a cell.
func (s *Store) Cell(id string) *CellFolder { return OpenCell(filepath.Join(s.dir, CellsFolder, id)) }

// CreateCell creates the folder of a cell, which must not exist.
func (s *Store) CreateCell(id string) (*CellFolder, error) {
	folder := s.Cell(id)
	return folder, createFolder(folder.dir)
}

// ErrNotMeasured is the error for a cell without a result or a folder.
var ErrNotMeasured = fs.ErrNotExist

// DiscardCell removes the folder of a cell that was not measured to its end. It fails, and
// removes nothing, if the cell has a result.
func (s *Store) DiscardCell(id string) error {
	dir := s.Cell(id).Dir()
	_, err := os.Stat(filepath.Join(dir, CellFile))
	if err == nil {
		return fmt.Errorf("%s has a result, which is not removed", dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for the result of %s: %w", dir, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return nil
}

// SaveSummary writes the folder of a summary: summary.json, and the histogram that
// its Response sums up, in milliseconds. A summary that exists is an error.
func (s *Store) SaveSummary(sum *Summary, merged *histogram.Histogram) error {
	dir := filepath.Join(s.dir, SummaryFolder, sum.ID)
	if err := createFolder(dir); err != nil {
		return err
	}
	sum.Schema = SummarySchema
	err := cmp.Or(writePercentiles(filepath.Join(dir, MergedFile), merged), file.WriteJSON(filepath.Join(dir, SummaryFile), sum))
	if err != nil {
		_ = os.RemoveAll(dir) // so that it can be saved again
	}
	return err
}

// Summary reads the summary.json of an ID.
func (s *Store) Summary(id string) (*Summary, error) {
	return OpenSummary(filepath.Join(s.dir, SummaryFolder, id))
}

// Summaries reads the summaries of a run that repeated its cells, in the order of its plan. A
// shape that was not measured has no summary.
func (s *Store) Summaries(run Run) (list []*Summary, err error) {
	p := run.Plan
	if p.Repeat < 2 {
		return nil, nil
	}
	p.Repeat = 1
	for _, cell := range plan.Units(p.Cells()) {
		sum, err := s.Summary(cell.SharedID())
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			list = append(list, sum)
		}
	}
	return list, nil
}

// OpenSummary reads the summary.json in a folder that may lie anywhere.
func OpenSummary(dir string) (*Summary, error) {
	sum := new(Summary)
	return sum, file.ReadJSON(filepath.Join(dir, SummaryFile), sum, &sum.Schema, SummarySchema, file.Small())
}

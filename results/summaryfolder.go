package results

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results/internal/file"
)

// SaveSummary writes the folder of a summary: summary.json, and the histogram that
// its Response sums up, in milliseconds. A summary that exists is an error.
func (s *Store) SaveSummary(sum *Summary, merged *histogram.Histogram) error {
	dir, err := s.createFolder(SummaryFolder, sum.ID)
	if err != nil {
		return err
	}
	if err := writePercentiles(filepath.Join(dir, MergedFile), merged); err != nil {
		return err
	}
	sum.Schema = SummarySchema
	return file.WriteJSON(filepath.Join(dir, SummaryFile), sum)
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
	for _, cell := range p.Cells() {
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

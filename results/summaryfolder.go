package results

import (
	"fmt"
	"path/filepath"

	"github.com/brokerbench/brokerbench/histogram"
)

// SaveSummary writes the folder of a summary: summary.json, and the histogram of
// which its Response is, in milliseconds. A summary that exists is an error.
func (s *Store) SaveSummary(sum *Summary, merged *histogram.Histogram) error {
	dir, err := s.createFolder(SummaryFolder, sum.ID)
	if err != nil {
		return err
	}
	if err := writePercentiles(filepath.Join(dir, MergedFile), merged); err != nil {
		return err
	}
	sum.Schema = SummarySchema
	return writeJSON(filepath.Join(dir, SummaryFile), sum)
}

// Summary reads the summary.json of an ID.
func (s *Store) Summary(id string) (*Summary, error) {
	return OpenSummary(filepath.Join(s.dir, SummaryFolder, id))
}

// OpenSummary reads the summary.json in a folder that may lie anywhere.
func OpenSummary(dir string) (*Summary, error) {
	path := filepath.Join(dir, SummaryFile)
	sum := new(Summary)
	err := readJSON(path, sum)
	if err == nil && sum.Schema != SummarySchema {
		err = fmt.Errorf("results: %s: schema %q, this version reads %q", path, sum.Schema, SummarySchema)
	}
	return sum, err
}
